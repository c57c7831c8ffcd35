import Core

/// The kinds of messages of every protocol, each protocol in a range of its own.
extension MessageKind {
  /// A data message of the echo protocol, either way.
  public static let echo = MessageKind(rawValue: 8)

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
}
