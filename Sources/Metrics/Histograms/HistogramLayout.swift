/// Where a value lies in the row of buckets, and back.
///
/// Bucket widths double with every power of two above 2,048; within one, 1,024 buckets are equally wide. So the slot
/// of `value` is `width exponent * 1024 + value >> width exponent`, and slots ascend with values without gaps.
enum HistogramLayout {
  /// Significant bits kept: 2^11 = 2,048 steps, which three significant digits need.
  private static let significantBits = 11
  private static let halfSteps = 1 << (significantBits - 1)
  /// One hour in nanoseconds.
  static let highest: Int64 = 3_600_000_000_000
  /// How many buckets there are.
  static var slots: Int { slot(of: highest) + 1 }

  /// The bucket of a value from 0 to `highest`.
  static func slot(of value: Int64) -> Int {
    let exponent = max(0, Int64.bitWidth - value.leadingZeroBitCount - significantBits)
    return exponent * halfSteps + Int(truncatingIfNeeded: value >> Int64(exponent))
  }

  /// The smallest value of a bucket.
  static func lowest(in slot: Int) -> Int64 {
    let exponent = exponent(of: slot)
    return Int64(slot - exponent * halfSteps) << Int64(exponent)
  }

  /// The largest value of a bucket.
  static func highest(in slot: Int) -> Int64 {
    min(lowest(in: slot) + (1 << Int64(exponent(of: slot))) - 1, highest)
  }

  private static func exponent(of slot: Int) -> Int { max(0, slot / halfSteps - 1) }
}
