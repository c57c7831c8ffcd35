import Core
import JSON

/// `latency`: every segment is delivered later than it came, by a delay counted from its own arrival.
public struct Latency: Fault {
  public static let kind = "latency"
  public static let summary = "each segment is delivered `delay` after it arrived, order kept"
  public static let defaultDirection: FaultDirection? = .both
  /// The finest delay that is promised.
  public static let finest = Duration.microseconds(50)
  public static let longest = Duration.seconds(3600)

  public enum Distribution: String, CaseIterable, Hashable, Sendable {
    /// Always `delay`.
    case constant
    /// `delay` ± `jitter`, evenly.
    case uniform
    /// Around `delay` with the standard deviation `jitter`, cut at 0 and at `delay` + 6 `jitter`.
    case normal
    /// At least `delay` - `jitter`, with mean `delay` and a heavy tail (shape 3), cut at `delay` + 20 `jitter`.
    case pareto
  }

  public var delay: Duration
  public var jitter: Duration
  public var distribution: Distribution

  public init(delay: Duration, jitter: Duration = .zero, distribution: Distribution? = nil) {
    self.delay = delay
    self.jitter = jitter
    self.distribution = distribution ?? (jitter == .zero ? .constant : .uniform)
  }

  public init?(_ options: SectionDecoder) {
    let delay = options.duration("delay", in: Self.finest...Self.longest, required: true)
    let jitter = options.duration("jitter", in: .zero...Self.longest)
    let distribution: Distribution? = options.choice("distribution")
    guard let delay else { return nil }
    if let jitter, jitter > delay {
      options.mistake(
        "jitter", "\"jitter\" of \(Quantity.text(jitter)) is more than the delay",
        expected: "at most \"delay\", \(Quantity.text(delay))")
      return nil
    }
    if distribution == .constant, let jitter, jitter > .zero {
      options.mistake("distribution", "\"constant\" has no jitter", expected: "\"uniform\", \"normal\" or \"pareto\"")
      return nil
    }
    if let distribution, distribution != .constant, (jitter ?? .zero) == .zero {
      options.mistake(
        "distribution", "\"\(distribution.rawValue)\" needs a \"jitter\"", expected: "a \"jitter\" beside it")
      return nil
    }
    self.init(delay: delay, jitter: jitter ?? .zero, distribution: distribution)
  }

  public var hooks: FaultHooks { .bytes }

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? {
    Stage(self, random: scope.random(direction))
  }

  /// One draw, in nanoseconds.
  func draw(_ random: inout SeededRandom) -> Int64 {
    let (delay, jitter) = (self.delay.nanoseconds, self.jitter.nanoseconds)
    switch distribution {
    case .constant: return delay
    case .uniform: return random.integer(in: delay - jitter...delay + jitter)
    case .normal:
      let drawn = random.normal(mean: Double(delay), deviation: Double(jitter))
      return Int64(min(max(drawn, 0), Double(delay) + 6 * Double(jitter)))
    case .pareto:
      // A Pareto of shape 3 and minimum m has the mean 1.5 m: what is added to the floor has the mean `jitter`.
      let shape = 3.0
      let minimum = Double(jitter) * (shape - 1) / shape
      let drawn = random.pareto(minimum: minimum, shape: shape)
      return delay - jitter + Int64(min(drawn, 21 * Double(jitter)))
    }
  }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    private let options: Latency
    private var random: SeededRandom

    init(_ options: Latency, random: SeededRandom) {
      self.options = options
      self.random = random
    }

    /// A long delay must hold what comes in the meantime: 1 MiB passes 80 Mbit/s at 100 ms.
    override var holdLimit: Int { 1024 * 1024 }
    override var schedulesFromArrival: Bool { true }
    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      Slot(due: arrival + .nanoseconds(options.draw(&random)))
    }
  }
}
