/// Where a JSON number ends and whether it is one (RFC 8259 section 6).
struct NumberShape {
  /// Past the last byte that belongs to it; of an invalid one, the place of the first wrong byte.
  var end: Int
  var isValid: Bool
  /// Neither fraction nor exponent.
  var isWhole: Bool

  /// Reads from `start`, which is below `count`.
  @inline(__always)
  static func read(_ base: UnsafePointer<UInt8>, at start: Int, count: Int) -> NumberShape {
    var at = start
    if base[at] == UInt8(ascii: "-") { at += 1 }
    guard at < count, isDigit(base[at]) else { return NumberShape(end: at, isValid: false, isWhole: true) }
    if base[at] == UInt8(ascii: "0") { at += 1 } else { skipDigits(base, &at, count) }
    var isWhole = true
    if at < count, base[at] == UInt8(ascii: ".") {
      isWhole = false
      at += 1
      guard at < count, isDigit(base[at]) else { return NumberShape(end: at, isValid: false, isWhole: false) }
      skipDigits(base, &at, count)
    }
    if at < count, base[at] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      at += 1
      if at < count, base[at] == UInt8(ascii: "+") || base[at] == UInt8(ascii: "-") { at += 1 }
      guard at < count, isDigit(base[at]) else { return NumberShape(end: at, isValid: false, isWhole: false) }
      skipDigits(base, &at, count)
    }
    return NumberShape(end: at, isValid: true, isWhole: isWhole)
  }

  /// The value of a valid number that starts at `start`; nil beyond the range of a double.
  func value(_ base: UnsafePointer<UInt8>, from start: Int) -> JSONValue? {
    if isWhole, let whole = Self.integer(base, from: start, to: end) { return .integer(whole) }
    let text = String(decoding: UnsafeBufferPointer(start: base + start, count: end - start), as: UTF8.self)
    guard let number = Double(text), number.isFinite else { return nil }
    return .number(number)
  }

  /// A whole number's value; nil if it does not fit.
  static func integer(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int64? {
    let isNegative = base[start] == UInt8(ascii: "-")
    var value: Int64 = 0
    for place in (isNegative ? start + 1 : start)..<end {
      let digit = Int64(base[place] &- 0x30)
      // Counted downwards, since the smallest Int64 has no positive counterpart.
      let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
      let (next, overflowed) = scaled.subtractingReportingOverflow(digit)
      if overflow || overflowed { return nil }
      value = next
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always)
  private static func skipDigits(_ base: UnsafePointer<UInt8>, _ at: inout Int, _ count: Int) {
    while at < count, isDigit(base[at]) { at += 1 }
  }
}
