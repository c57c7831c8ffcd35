import Core
import JSON

/// `bandwidth`: bytes are delivered no faster than a line of this rate would carry them.
public struct Bandwidth: Fault {
  public static let kind = "bandwidth"
  public static let summary = "bytes are delivered at `rate` a second at most, per connection and direction"
  public static let defaultDirection: FaultDirection? = .both
  public static let fastest = 1_000_000_000_000

  /// Bytes a second.
  public var rate: Int

  public init(rate: Int) { self.rate = min(max(1, rate), Self.fastest) }

  public init?(_ options: SectionDecoder) {
    guard let rate = Self.decodeRate(options) else { return nil }
    self.init(rate: rate)
  }

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

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage(rate) }

  /// Delivers pieces as their last byte comes off the line: n bytes that find it free are there n / rate later.
  ///
  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    private static let largestPiece = 16 * 1024
    private let rate: UInt64
    /// Large writes are delivered in pieces of 10 ms, so that the flow is even.
    private let piece: Int
    /// The line has been busy since then with so many bytes; so no rounding adds up.
    private var busySince = Instant(nanoseconds: .min)
    private var busyBytes: UInt64 = 0
    private var free = Instant(nanoseconds: .min)

    init(_ rate: Int) {
      self.rate = UInt64(rate)
      piece = min(max(1, rate / 100), Self.largestPiece)
    }

    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      if arrival >= free {
        busySince = arrival
        busyBytes = 0
      }
      let size = min(count, piece)
      busyBytes &+= UInt64(size)
      free = busySince + .nanoseconds(nanoseconds(busyBytes))
      return Slot(bytes: max(1, size), due: free)
    }

    /// How long the line takes for so many bytes, rounded up: never early.
    private func nanoseconds(_ bytes: UInt64) -> Int64 {
      let product = bytes.multipliedFullWidth(by: 1_000_000_000)
      guard product.high < rate else { return .max }
      let (quotient, remainder) = rate.dividingFullWidth(product)
      return Int64(clamping: quotient &+ (remainder > 0 ? 1 : 0))
    }
  }
}
