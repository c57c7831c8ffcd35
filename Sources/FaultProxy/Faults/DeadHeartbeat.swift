import Core
import JSON
import Protocols
import WebSocket

/// `deadHeartbeat`: replies to pings and to the protocol's own heartbeats are swallowed, everything else flows.
public struct DeadHeartbeat: Fault {
  public static let kind = "deadHeartbeat"
  public static let summary = "pongs and replies to the protocol's heartbeats are swallowed, everything else flows"
  public static let defaultDirection: FaultDirection? = .down

  public init() {}
  public init?(_ options: SectionDecoder) {}

  public var hooks: FaultHooks { [.frames, .messages] }

  public func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter? { Filter(scope.classifier) }

  /// @unchecked: confined to its connection's loop.
  private final class Filter: FrameFilter, @unchecked Sendable {
    private let classifier: (any MessageClassifier)?
    init(_ classifier: (any MessageClassifier)?) { self.classifier = classifier }

    override var wantsMessages: Bool { classifier != nil }
    override func control(_ header: FrameHeader, at now: Instant) -> FrameDecision {
      header.opcode == .pong ? .drop : .pass
    }
    override func message(_ message: WireMessage, at now: Instant) -> MessageDecision {
      classifier?.isHeartbeatReply(message.facts) == true ? .drop : .pass
    }
  }
}
