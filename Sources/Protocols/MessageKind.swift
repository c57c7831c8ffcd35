import Core

/// The kinds of messages of every protocol, each protocol in a range of its own.
extension MessageKind {
  /// A data message of the echo protocol, either way.
  public static let echo = MessageKind(rawValue: 8)
  /// A data message that nobody looks into, either way.
  public static let opaque = MessageKind(rawValue: 9)

  /// `{"type":"auth","token":…}` from a client.
  public static let onebaseAuth = MessageKind(rawValue: 16)
  /// `{"type":"sub",…}`.
  public static let onebaseSubscribe = MessageKind(rawValue: 17)
  /// `{"type":"unsub",…}`.
  public static let onebaseUnsubscribe = MessageKind(rawValue: 18)
  /// `{"type":"call",…}`.
  public static let onebaseCall = MessageKind(rawValue: 19)
  /// `{"type":"auth","ok":…}` from a server.
  public static let onebaseAuthReply = MessageKind(rawValue: 24)
  /// `{"type":"update",…}`, or a part of a transition.
  public static let onebaseUpdate = MessageKind(rawValue: 25)
  /// `{"type":"result",…}`, or a part of a transition.
  public static let onebaseResult = MessageKind(rawValue: 26)
  /// `{"type":"transition",…}`.
  public static let onebaseTransition = MessageKind(rawValue: 27)

  // Palbase: 40 to 63.
  /// `phx_join` from a client.
  public static let palbaseJoin = MessageKind(rawValue: 40)
  /// `phx_leave`.
  public static let palbaseLeave = MessageKind(rawValue: 41)
  /// `heartbeat` on the topic `phoenix`.
  public static let palbaseHeartbeat = MessageKind(rawValue: 42)
  /// `access_token`: a refreshed token for a joined topic.
  public static let palbaseAccessToken = MessageKind(rawValue: 43)
  /// `state_set`.
  public static let palbaseStateSet = MessageKind(rawValue: 44)
  /// `state_delete`.
  public static let palbaseStateDelete = MessageKind(rawValue: 45)
  /// `state_get`.
  public static let palbaseStateGet = MessageKind(rawValue: 46)
  /// `broadcast`, either way.
  public static let palbaseBroadcast = MessageKind(rawValue: 50)
  /// `phx_reply` from a server, on a channel.
  public static let palbaseReply = MessageKind(rawValue: 52)
  /// `phx_reply` on the topic `phoenix`: the answer to a heartbeat.
  public static let palbaseHeartbeatReply = MessageKind(rawValue: 53)
  /// `state`: the whole state of a channel.
  public static let palbaseState = MessageKind(rawValue: 54)
  /// `state_change`.
  public static let palbaseStateChange = MessageKind(rawValue: 55)
  /// `refused`: of a broadcast or a state write.
  public static let palbaseRefused = MessageKind(rawValue: 56)
  /// `phx_close`: the server ended the membership.
  public static let palbaseClose = MessageKind(rawValue: 57)
  /// `phx_error`: the membership failed.
  public static let palbaseError = MessageKind(rawValue: 58)
}
