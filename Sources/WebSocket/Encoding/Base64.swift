/// Base64 with padding (RFC 4648 §4).
public enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The padded text of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let have = min(3, bytes.count - start)
      let group =
        UInt32(bytes[start]) << 16
        | (have > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
        | (have > 2 ? UInt32(bytes[start + 2]) : 0)
      for digit in 0..<4 {
        text.append(digit <= have ? alphabet[Int(group >> UInt32(18 - 6 * digit)) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a padded text; nil for anything that `encode` would not have written.
  public static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    for start in stride(from: 0, to: digits.count, by: 4) {
      let isLast = start + 4 == digits.count
      let padding = isLast ? digits[start...].reversed().prefix { $0 == UInt8(ascii: "=") }.count : 0
      guard padding <= 2 else { return nil }
      var group: UInt32 = 0
      for index in 0..<4 - padding {
        guard let value = value(of: digits[start + index]) else { return nil }
        group |= value << UInt32(18 - 6 * index)
      }
      // Bits that no byte takes must be zero (RFC 4648 §3.5).
      if padding == 1, group & 0xFF != 0 { return nil }
      if padding == 2, group & 0xFFFF != 0 { return nil }
      for index in 0..<3 - padding { bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index))) }
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
