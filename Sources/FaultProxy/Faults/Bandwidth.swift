import Core
import JSON

/// `bandwidth`: bytes are delivered no faster than a line of this rate would carry them.
public struct Bandwidth: Fault {
  public static let kind = "bandwidth"
  public static let summary =
    "bytes are delivered at `rate` a second at most, per connection or for all it hits together"
  public static let defaultDirection: FaultDirection? = .both
  public static let fastest = 1_000_000_000_000

  /// Bytes a second.
  public var rate: Int
  /// The one line of all connections it hits, on every loop; nil where each has one of its own.
  private let shared: SharedLines?

  public init(rate: Int, shared: Bool = false) {
    self.rate = min(max(1, rate), Self.fastest)
    self.shared = shared ? SharedLines(self.rate) : nil
  }

  public init?(_ options: SectionDecoder) {
    let shared = options.bool("shared")
    guard let rate = Self.decodeRate(options) else { return nil }
    self.init(rate: rate, shared: shared ?? false)
  }

  public var isShared: Bool { shared != nil }

  /// "64KiB/s".
  private static func decodeRate(_ options: SectionDecoder) -> Int? {
    let expected = "bytes a second with a unit, such as \"64KiB/s\" or \"1MB/s\", 1B/s at least"
    guard let value = options.value("rate", required: true, expected: expected) else { return nil }
    if let text = value.string, text.hasSuffix("/s"), let size = Quantity.size(text.dropLast(2)),
      (1...fastest).contains(size)
    {
      return size
    }
    var suggestion: String?
    if let number = value.integer, number > 0 { suggestion = "\(number)B/s" }
    if let text = value.string, Quantity.size(text) != nil { suggestion = text + "/s" }
    options.mistake(
      "rate", "\"rate\" of a bandwidth fault cannot be \(value.summary)", expected: expected, suggestion: suggestion)
    return nil
  }

  public var hooks: FaultHooks { .bytes }

  public func started(_ proxy: any FaultedProxy, _ scope: FaultScope) { shared?.open(at: scope.now) }
  public func ended(_ proxy: any FaultedProxy, _ scope: FaultScope) { shared?.close() }

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? {
    if let shared { return SharedStage(rate, shared, direction) }
    return OwnStage(rate)
  }

  /// Large writes are delivered in pieces of 10 ms, so that the flow is even.
  private static func piece(_ rate: Int) -> Int { min(max(1, rate / 100), 16 * 1024) }

  /// A line of the connection's own.
  ///
  /// @unchecked: confined to its connection's loop.
  private final class OwnStage: ByteStage, @unchecked Sendable {
    private var line: Line
    private let piece: Int

    init(_ rate: Int) {
      line = Line(rate)
      piece = Bandwidth.piece(rate)
    }

    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      let size = min(count, piece)
      return Slot(bytes: max(1, size), due: line.carry(size, from: arrival))
    }
  }

  /// A place in the line of all.
  ///
  /// @unchecked: confined to its connection's loop.
  private final class SharedStage: ByteStage, @unchecked Sendable {
    private let lines: SharedLines
    private let direction: Direction
    private let piece: Int
    private let limit: Int

    init(_ rate: Int, _ lines: SharedLines, _ direction: Direction) {
      self.lines = lines
      self.direction = direction
      piece = Bandwidth.piece(rate)
      // A tenth of a second ahead and no more, so that one busy connection leaves room for the others.
      limit = min(max(256, rate / 10), Self.defaultHoldLimit)
    }

    override var holdLimit: Int { limit }
    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      let size = min(count, piece)
      return Slot(bytes: max(1, size), due: lines.carry(size, direction, from: arrival))
    }
  }
}
