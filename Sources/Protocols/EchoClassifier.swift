import Core

/// The echo protocol: any data message is one, and has no parts that matter.
public struct EchoClassifier: MessageClassifier {
  public init() {}

  public func facts(isText: Bool, payload: [UInt8], direction: Direction) -> MessageFacts { MessageFacts(kind: .echo) }
  public func isHeartbeat(_ facts: MessageFacts) -> Bool { false }
  public func isHeartbeatReply(_ facts: MessageFacts) -> Bool { false }
}
