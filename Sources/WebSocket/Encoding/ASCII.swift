/// The few text rules of HTTP heads, on bytes: no locale, no Foundation.
enum ASCII {
  static let carriageReturn: UInt8 = 13
  static let lineFeed: UInt8 = 10
  static let space: UInt8 = 32
  static let tab: UInt8 = 9

  static func lowered(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 0x20 : byte }

  static func equalIgnoringCase(_ a: some StringProtocol, _ b: some StringProtocol) -> Bool {
    let (x, y) = (a.utf8, b.utf8)
    return x.count == y.count && zip(x, y).allSatisfy { lowered($0) == lowered($1) }
  }

  /// `tchar` of RFC 9110 §5.6.2.
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    case 33, 35, 36, 37, 38, 39, 42, 43, 45, 46, 94, 95, 96, 124, 126: true
    default: false
    }
  }

  static func isToken(_ bytes: some Collection<UInt8>) -> Bool { !bytes.isEmpty && bytes.allSatisfy { isToken($0) } }

  /// Bytes a field value may hold: `VCHAR`, `obs-text`, space and tab (RFC 9110 §5.5).
  static func isFieldValue(_ byte: UInt8) -> Bool { byte == tab || (byte >= 32 && byte != 127) }

  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }

  /// Without the spaces and tabs around it.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var slice = bytes
    while let first = slice.first, isBlank(first) { slice.removeFirst() }
    while let last = slice.last, isBlank(last) { slice.removeLast() }
    return slice
  }

  /// A piece of hostile input for an error text: printable, at most 60 bytes.
  static func quoted(_ bytes: some Collection<UInt8>) -> String {
    let shown = bytes.prefix(60).map { $0 >= 32 && $0 < 127 ? $0 : UInt8(ascii: "?") }
    return "\"" + String(decoding: shown, as: UTF8.self) + (bytes.count > 60 ? "…\"" : "\"")
  }
}
