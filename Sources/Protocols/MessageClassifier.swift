import Core

/// Tells what a message means with one scan of its bytes; what taps, faults and the judge share.
public protocol MessageClassifier: Sendable {
  /// One scan of a message, the only one: kind, identifiers, ranges within `payload`, parts of transitions.
  ///
  /// Never traps, whatever the bytes are: what is no message of the protocol has the kind `.malformed`, and a message
  /// of a type that the protocol does not name has the kind `.unclassified`.
  func facts(isText: Bool, payload: [UInt8], direction: Direction) -> MessageFacts
  /// Whether the message is a heartbeat of the protocol itself (WebSocket pings are not messages).
  func isHeartbeat(_ facts: MessageFacts) -> Bool
  /// Whether the message answers such a heartbeat.
  func isHeartbeatReply(_ facts: MessageFacts) -> Bool
}
