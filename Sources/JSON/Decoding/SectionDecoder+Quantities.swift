import Core

/// Values with units, written as strings (see `Quantity`). A bare number gets the likely unit suggested.
extension SectionDecoder {
  /// The longest duration a range can ask for without an upper bound; a hundred years.
  public static let longest = Duration.seconds(3_155_760_000)

  /// A duration such as "250ms", within the range.
  public func duration(
    _ key: String, in range: ClosedRange<Duration> = .zero...longest, required: Bool = false
  ) -> Duration? {
    let bounds = Self.bounds(range, none: (.zero, Self.longest), Quantity.text)
    return decode(
      key, required: required, expected: Quantity.expectedDuration + (bounds.isEmpty ? "" : "," + bounds),
      suggestion: { Self.withUnit("s", $0) },
      { found in found.string.flatMap { Quantity.duration($0) }.flatMap { range.contains($0) ? $0 : nil } })
  }

  /// A rate such as "0.5/s", in events per second, within the range.
  public func rate(
    _ key: String, in range: ClosedRange<Double> = 0...Double.infinity, required: Bool = false
  ) -> Double? {
    let bounds = Self.bounds(range, none: (0, .infinity)) { "\($0)/s" }
    return decode(
      key, required: required, expected: Quantity.expectedRate + (bounds.isEmpty ? "" : "," + bounds),
      suggestion: { Self.withUnit("/s", $0) },
      { found in found.string.flatMap { Quantity.rate($0) }.flatMap { range.contains($0) ? $0 : nil } })
  }

  /// A share such as "30%", as 0.3.
  public func share(_ key: String, required: Bool = false) -> Double? {
    decode(
      key, required: required, expected: Quantity.expectedShare,
      suggestion: {
        guard case .number(let number, _) = $0.kind, (0...1).contains(number) else { return Self.withUnit("%", $0) }
        let percent = number * 100
        return (Int64(exactly: percent).map { "\($0)" } ?? "\(percent)") + "%"
      }, { $0.string.flatMap { Quantity.share($0) } })
  }

  /// A size such as "64KiB", in bytes, within the range.
  public func size(_ key: String, in range: ClosedRange<Int> = 0...Int.max, required: Bool = false) -> Int? {
    let bounds = Self.bounds(range, none: (0, .max)) { "\($0)B" }
    return decode(
      key, required: required, expected: Quantity.expectedSize + (bounds.isEmpty ? "" : "," + bounds),
      suggestion: { Self.withUnit("B", $0) },
      { found in found.string.flatMap { Quantity.size($0) }.flatMap { range.contains($0) ? $0 : nil } })
  }

  private static func withUnit(_ unit: String, _ value: LocatedValue) -> String? {
    guard case .number(let number, let raw) = value.kind, number >= 0, raw.utf8.count <= 20 else { return nil }
    return raw + unit
  }
}
