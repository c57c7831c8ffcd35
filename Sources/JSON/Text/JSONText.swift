/// Writes pieces of JSON text straight into bytes: what codecs on the hot path build messages from.
public enum JSONText {
  /// Appends a quoted string; quotes, backslashes and control characters are escaped, all else is written as it is.
  public static func appendString(_ text: some StringProtocol, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    let done: Void? = text.utf8.withContiguousStorageIfAvailable { appendBody($0, to: &out) }
    if done == nil { Array(text.utf8).withUnsafeBufferPointer { appendBody($0, to: &out) } }
    out.append(UInt8(ascii: "\""))
  }

  /// Appends a whole number in decimal.
  @inlinable public static func appendInteger(_ value: some FixedWidthInteger, to out: inout [UInt8]) {
    if value < 0 { out.append(UInt8(ascii: "-")) }
    appendDigits(UInt64(value.magnitude), to: &out)
  }

  /// Appends the shortest text that reads back as the same double; NaN and the infinities, which JSON lacks, as null.
  public static func appendDouble(_ value: Double, to out: inout [UInt8]) {
    guard value.isFinite else { return append("null", to: &out) }
    out.append(contentsOf: value.description.utf8)
  }

  /// Appends literal text as it is: `{"type":`, `null`, …
  @inlinable public static func append(_ literal: StaticString, to out: inout [UInt8]) {
    out.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  @usableFromInline static func appendDigits(_ value: UInt64, to out: inout [UInt8]) {
    if value < 10 { return out.append(0x30 + UInt8(truncatingIfNeeded: value)) }
    let start = out.count
    var rest = value
    while rest > 0 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      out.append(0x30 + UInt8(truncatingIfNeeded: digit))
      rest = quotient
    }
    out[start...].reverse()
  }

  private static func appendBody(_ bytes: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    var copied = 0
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        at += 1
        continue
      }
      out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<at]))
      appendEscape(byte, to: &out)
      at += 1
      copied = at
    }
    out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<at]))
  }

  private static func appendEscape(_ byte: UInt8, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: out.append(UInt8(ascii: "b"))
    case 0x09: out.append(UInt8(ascii: "t"))
    case 0x0A: out.append(UInt8(ascii: "n"))
    case 0x0C: out.append(UInt8(ascii: "f"))
    case 0x0D: out.append(UInt8(ascii: "r"))
    case ..<0x20:
      append("u00", to: &out)
      for digit in [byte >> 4, byte & 0xF] { out.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10) }
    default: out.append(byte)
    }
  }
}
