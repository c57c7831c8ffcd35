import Core
import JSON

/// `slice`: bytes are delivered in small pieces with pauses between them.
public struct Slice: Fault {
  public static let kind = "slice"
  public static let summary = "bytes come in pieces of `size`, `pause` apart"
  public static let defaultDirection: FaultDirection? = .both
  public static let longestPause = Duration.seconds(60)

  /// Bytes in a piece.
  public var size: Int
  /// How much a piece may be larger or smaller.
  public var jitter: Int
  /// From one piece to the next.
  public var pause: Duration

  public init(size: Int, jitter: Int = 0, pause: Duration = .milliseconds(1)) {
    self.size = size
    self.jitter = jitter
    self.pause = pause
  }

  public init?(_ options: SectionDecoder) {
    let size = options.size("size", in: 1...65536, required: true)
    let jitter = options.size("jitter", in: 0...65535)
    let pause = options.duration("pause", in: .microseconds(50)...Self.longestPause)
    guard let size else { return nil }
    if let jitter, jitter >= size {
      options.mistake(
        "jitter", "\"jitter\" of \(jitter) bytes leaves nothing of a piece", expected: "less than \"size\"")
      return nil
    }
    self.init(size: size, jitter: jitter ?? 0, pause: pause ?? .milliseconds(1))
  }

  public var hooks: FaultHooks { .bytes }

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? {
    Stage(self, random: scope.random(direction))
  }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    /// Small pieces cost more memory than their bytes, so fewer bytes of them are held.
    private static let mostPieces = 1024
    private let options: Slice
    private var random: SeededRandom
    private var next = Instant(nanoseconds: .min)

    init(_ options: Slice, random: SeededRandom) {
      self.options = options
      self.random = random
    }

    override var holdLimit: Int { min(Self.defaultHoldLimit, options.size * Self.mostPieces) }

    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      let due = max(arrival, next)
      // A FIN goes with the last piece.
      if count == 0 { return Slot(due: arrival) }
      next = due + options.pause
      let jitter = Int64(options.jitter)
      let size = options.size + (jitter == 0 ? 0 : Int(random.integer(in: -jitter...jitter)))
      return Slot(bytes: size, due: due)
    }
  }
}
