import Core
import JSON

/// `duplicateMessage`: messages that match come more than once.
public struct DuplicateMessage: Fault {
  public static let kind = "duplicateMessage"
  public static let summary = "messages that match are followed by `copies` of themselves"
  public static let defaultDirection: FaultDirection? = .both

  /// How many come behind the message, 1 to 100.
  public var copies: Int
  public var match: MessageMatch

  public init(copies: Int = 1, match: MessageMatch = MessageMatch()) {
    self.copies = copies
    self.match = match
  }

  public init?(_ options: SectionDecoder) {
    let copies = options.integer("copies", in: 1...100)
    guard let match = MessageMatch.decode(options) else { return nil }
    self.init(copies: copies ?? 1, match: match)
  }

  public func judgedAs(_ entry: FaultEntry) -> String {
    "\(Self.kind):\((entry.direction.contains(.up) ? FaultDirection.up : .down).rawValue)"
  }

  public var hooks: FaultHooks { [.frames, .messages] }

  public func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter? {
    Filter(copies, MessageMatcher(match, random: scope.random(direction)))
  }

  /// @unchecked: confined to its connection's loop.
  private final class Filter: FrameFilter, @unchecked Sendable {
    private let copies: Int
    private let matcher: MessageMatcher
    init(_ copies: Int, _ matcher: MessageMatcher) {
      self.copies = copies
      self.matcher = matcher
    }

    override var wantsMessages: Bool { true }
    override func message(_ message: WireMessage, at now: Instant) -> MessageDecision {
      matcher.takes(message) ? .duplicate(copies) : .pass
    }
  }
}
