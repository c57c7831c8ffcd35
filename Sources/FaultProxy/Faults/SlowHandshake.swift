import Core
import JSON

/// `slowHandshake`: the HTTP head of the upgrade comes byte by byte; what follows it is not slowed down.
public struct SlowHandshake: Fault {
  public static let kind = "slowHandshake"
  public static let summary = "the head of the upgrade comes in pieces of `size`, `pause` apart"
  public static let defaultDirection: FaultDirection? = .down
  public static let beginsPerConnection = false

  /// Bytes in a piece.
  public var size: Int
  /// From one piece to the next.
  public var pause: Duration

  public init(size: Int = 1, pause: Duration = .milliseconds(20)) {
    self.size = size
    self.pause = pause
  }

  public init?(_ options: SectionDecoder) {
    let size = options.size("size", in: 1...65536)
    let pause = options.duration("pause", in: .microseconds(50)...Duration.seconds(60))
    self.init(size: size ?? 1, pause: pause ?? .milliseconds(20))
  }

  public var hooks: FaultHooks { .bytes }

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? {
    // Only a head that has not begun to pass.
    scope.passed == 0 ? Stage(self) : nil
  }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    private let options: SlowHandshake
    private var next = Instant(nanoseconds: .min)
    /// How much of the blank line that ends a head has been seen.
    private var endMatched = 0
    /// Bytes of the head that are to be scheduled.
    private var headBytes = 0
    private var isOver = false

    init(_ options: SlowHandshake) { self.options = options }

    override var isDone: Bool { isOver && headBytes == 0 }
    override var edits: Bool { !isOver }

    override func edit(_ bytes: inout [UInt8]) {
      let end: [UInt8] = [13, 10, 13, 10]
      for byte in bytes {
        headBytes += 1
        endMatched = byte == end[endMatched] ? endMatched + 1 : byte == end[0] ? 1 : 0
        if endMatched == end.count {
          isOver = true
          return
        }
      }
    }

    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      guard headBytes > 0, count > 0 else { return Slot(due: arrival) }
      let due = max(arrival, next)
      next = due + options.pause
      let size = min(options.size, headBytes, count)
      headBytes -= size
      return Slot(bytes: size, due: due)
    }
  }
}
