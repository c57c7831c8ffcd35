import Core
import JSON

/// `delayMessage`: messages that match come later than they would, and others overtake them.
public struct DelayMessage: Fault {
  public static let kind = "delayMessage"
  public static let summary = "messages that match are delivered `delay` after they arrived; others overtake them"
  public static let defaultDirection: FaultDirection? = .both

  public var delay: DrawnDuration
  public var match: MessageMatch

  public init(delay: DrawnDuration, match: MessageMatch = MessageMatch()) {
    self.delay = delay
    self.match = match
  }

  public init?(_ options: SectionDecoder) {
    let delay = DrawnDuration(options, "delay", in: Latency.finest...Latency.longest)
    let match = MessageMatch.decode(options)
    guard let delay, let match else { return nil }
    self.init(delay: delay, match: match)
  }

  public var hooks: FaultHooks { [.frames, .messages] }

  public func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter? {
    Filter(self, random: scope.random(direction))
  }

  /// @unchecked: confined to its connection's loop.
  private final class Filter: FrameFilter, @unchecked Sendable {
    private let delay: DrawnDuration
    private let matcher: MessageMatcher
    private var random: SeededRandom

    init(_ options: DelayMessage, random: SeededRandom) {
      delay = options.delay
      var random = random
      matcher = MessageMatcher(options.match, random: random)
      self.random = SeededRandom(seed: random.next(), purpose: .faultOptions, subject: 1)
    }

    override var wantsMessages: Bool { true }
    override func message(_ message: WireMessage, at now: Instant) -> MessageDecision {
      matcher.takes(message) ? .delay(until: now + delay.draw(&random)) : .pass
    }
  }
}
