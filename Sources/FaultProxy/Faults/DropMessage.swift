import Core
import JSON
import WebSocket

/// `dropMessage`: messages that match are swallowed, everything else flows.
public struct DropMessage: Fault {
  public static let kind = "dropMessage"
  public static let summary = "messages or control frames that match are swallowed, everything else flows"
  public static let defaultDirection: FaultDirection? = .both

  public var match: MessageMatch

  public init(match: MessageMatch = MessageMatch()) { self.match = match }

  public init?(_ options: SectionDecoder) {
    guard let match = MessageMatch.decode(options, allowsControl: true) else { return nil }
    self.init(match: match)
  }

  public var hooks: FaultHooks { [.frames, .messages] }

  public func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter? {
    Filter(MessageMatcher(match, random: scope.random(direction)))
  }

  /// @unchecked: confined to its connection's loop.
  private final class Filter: FrameFilter, @unchecked Sendable {
    private let matcher: MessageMatcher
    init(_ matcher: MessageMatcher) { self.matcher = matcher }

    override var wantsMessages: Bool { matcher.match.matchesData }
    override func control(_ header: FrameHeader, at now: Instant) -> FrameDecision {
      matcher.takes(control: header.opcode.controlMatch) ? .drop : .pass
    }
    override func message(_ message: WireMessage, at now: Instant) -> MessageDecision {
      matcher.takes(message) ? .drop : .pass
    }
  }
}
