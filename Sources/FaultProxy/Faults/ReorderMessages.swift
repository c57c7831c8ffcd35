import Core
import JSON

/// `reorderMessages`: messages that match wait for each other and come in another order.
public struct ReorderMessages: Fault {
  public static let kind = "reorderMessages"
  public static let summary = "of the messages that match, each `window` wait for each other and come in a drawn order"
  public static let defaultDirection: FaultDirection? = .both

  /// How many are mixed, 2 to 64.
  public var window: Int
  /// How long the first of them waits for the others at most.
  public var within: Duration
  public var match: MessageMatch

  public init(window: Int = 2, within: Duration = .seconds(1), match: MessageMatch = MessageMatch()) {
    self.window = window
    self.within = within
    self.match = match
  }

  public init?(_ options: SectionDecoder) {
    let window = options.integer("window", in: 2...64)
    let within = options.duration("within", in: .milliseconds(1)...Latency.longest)
    guard let match = MessageMatch.decode(options) else { return nil }
    self.init(window: window ?? 2, within: within ?? .seconds(1), match: match)
  }

  public var hooks: FaultHooks { [.frames, .messages] }

  public func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter? {
    Filter(self, random: scope.random(direction))
  }

  /// @unchecked: confined to its connection's loop.
  private final class Filter: FrameFilter, @unchecked Sendable {
    private let options: ReorderMessages
    private let matcher: MessageMatcher
    private var random: SeededRandom

    init(_ options: ReorderMessages, random: SeededRandom) {
      self.options = options
      var random = random
      matcher = MessageMatcher(options.match, random: random)
      self.random = SeededRandom(seed: random.next(), purpose: .faultOptions, subject: 1)
    }

    override var wantsMessages: Bool { true }
    override func message(_ message: WireMessage, at now: Instant) -> MessageDecision {
      matcher.takes(message) ? .gather(count: options.window, until: now + options.within) : .pass
    }

    /// Never the order in which they came, where there is another.
    override func order(_ count: Int) -> [Int] {
      let inOrder = Array(0..<count)
      var order = inOrder
      while order == inOrder, count > 1 { order.shuffle(using: &random) }
      return order
    }
  }
}
