import Core
import JSON

// Faults that exist as toxics alone: they do what Toxiproxy does, which differs from obload's own.

/// `slow_close`: the end of a direction is passed on later.
struct ToxicSlowClose: Fault {
  static let kind = "slow_close"
  static let summary = "the end of a direction is passed on later"
  var delay: Duration

  init(delay: Duration) { self.delay = delay }
  init?(_ options: SectionDecoder) { nil }

  var hooks: FaultHooks { .bytes }
  func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage(delay) }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    private let delay: Duration
    init(_ delay: Duration) { self.delay = delay }
    override var schedulesFromArrival: Bool { true }
    override func schedule(_ count: Int, arrival: Instant) -> Slot { Slot(due: count == 0 ? arrival + delay : arrival) }
  }
}

/// `timeout`: nothing gets through, and the connection is closed after a time, at the latest with the toxic's end.
struct ToxicTimeout: Fault {
  static let kind = "timeout"
  static let summary = "nothing gets through, and the connection is closed after a time"
  /// Nil: only with the toxic's end.
  var after: Duration?

  init(after: Duration?) { self.after = after }
  init?(_ options: SectionDecoder) { nil }

  var hooks: FaultHooks { [.bytes, .eager] }
  func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage(after.map { scope.now + $0 }) }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    init(_ end: Instant?) {
      super.init()
      endsWithFault = .close
      ending = end.map { StageEnding(at: $0, how: .close) }
    }
    override func schedule(_ count: Int, arrival: Instant) -> Slot { Slot(due: .distantFuture) }
  }
}

/// `reset_peer`: the first bytes are swallowed, and a time later the connection is reset.
struct ToxicReset: Fault {
  static let kind = "reset_peer"
  static let summary = "the first bytes are swallowed, and a time later the connection is reset"
  var after: Duration

  init(after: Duration) { self.after = after }
  init?(_ options: SectionDecoder) { nil }

  var hooks: FaultHooks { .bytes }
  func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage(after) }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    private let after: Duration
    init(_ after: Duration) { self.after = after }
    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      if ending == nil {
        ending = StageEnding(at: arrival + after, how: .reset)
        endsWithFault = .reset
      }
      return Slot(due: .distantFuture)
    }
  }
}

/// `slicer`: bytes go on in small pieces with pauses between them.
struct ToxicSlicer: Fault {
  static let kind = "slicer"
  static let summary = "bytes go on in small pieces with pauses between them"
  var size: Int
  var variation: Int
  var pause: Duration

  init(size: Int, variation: Int, pause: Duration) {
    self.size = size
    self.variation = variation
    self.pause = pause
  }
  init?(_ options: SectionDecoder) { nil }

  var hooks: FaultHooks { .bytes }
  func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage(self, scope.random(direction)) }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    private let options: ToxicSlicer
    private var random: SeededRandom
    private var next = Instant(nanoseconds: .min)

    init(_ options: ToxicSlicer, _ random: SeededRandom) {
      self.options = options
      self.random = random
    }

    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      let due = max(arrival, next)
      if count == 0 { return Slot(due: due) }
      next = due + options.pause
      let size = random.integer(in: Int64(options.size - options.variation)...Int64(options.size + options.variation))
      return Slot(bytes: max(1, Int(size)), due: due)
    }
  }
}

/// `limit_data`: so many bytes get through, then the connection is closed.
struct ToxicLimit: Fault {
  static let kind = "limit_data"
  static let summary = "so many bytes get through, then the connection is closed"
  var bytes: Int64

  init(bytes: Int64) { self.bytes = bytes }
  init?(_ options: SectionDecoder) { nil }

  var hooks: FaultHooks { .bytes }
  func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage(bytes) }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    private var left: Int64
    init(_ left: Int64) { self.left = left }

    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      if count == 0, left > 0 { return Slot(due: arrival) }
      let part = min(Int64(count), left)
      left -= part
      if left == 0, ending == nil { ending = StageEnding(at: arrival, how: .close) }
      if part > 0 { return Slot(bytes: Int(part), due: arrival) }
      endsWithFault = .close
      return Slot(due: .distantFuture)
    }
  }
}
