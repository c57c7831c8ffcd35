import Core

/// Any protocol over WebSocket, seen from outside: a message has a length and nothing else.
public struct WebSocketClassifier: MessageClassifier {
  public init() {}

  public func facts(isText: Bool, payload: [UInt8], direction: Direction) -> MessageFacts {
    MessageFacts(kind: .opaque)
  }
  public func isHeartbeat(_ facts: MessageFacts) -> Bool { false }
  public func isHeartbeatReply(_ facts: MessageFacts) -> Bool { false }
}
