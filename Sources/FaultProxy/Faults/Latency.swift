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

  public typealias Distribution = DrawnDuration.Distribution

  public var draw: DrawnDuration
  public var delay: Duration { draw.mean }
  public var jitter: Duration { draw.jitter }
  public var distribution: Distribution { draw.distribution }

  public init(delay: Duration, jitter: Duration = .zero, distribution: Distribution? = nil) {
    draw = DrawnDuration(mean: delay, jitter: jitter, distribution: distribution)
  }

  public init?(_ options: SectionDecoder) {
    guard let draw = DrawnDuration(options, "delay", in: Self.finest...Self.longest) else { return nil }
    self.draw = draw
  }

  public var hooks: FaultHooks { .bytes }

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? {
    Stage(draw, random: scope.random(direction))
  }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    private let delay: DrawnDuration
    private var random: SeededRandom

    init(_ delay: DrawnDuration, random: SeededRandom) {
      self.delay = delay
      self.random = random
    }

    /// A long delay must hold what comes in the meantime: 1 MiB passes 80 Mbit/s at 100 ms.
    override var holdLimit: Int { 1024 * 1024 }
    override var schedulesFromArrival: Bool { true }
    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      Slot(due: arrival + delay.draw(&random))
    }
  }
}
