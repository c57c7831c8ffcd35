/// Finds where bytes stop being UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF).
enum UTF8Check {
  /// The offset of the first byte of the first wrong sequence, or nil.
  static func firstInvalid(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var at = 0
    let count = bytes.count
    while at < count {
      let lead = bytes[at]
      if lead < 0x80 {
        at += 1
        continue
      }
      let length: Int
      var low: UInt8 = 0x80
      var high: UInt8 = 0xBF
      switch lead {
      case 0xC2...0xDF: length = 2
      case 0xE0: (length, low) = (3, 0xA0)
      case 0xED: (length, high) = (3, 0x9F)
      case 0xE1...0xEF: length = 3
      case 0xF0: (length, low) = (4, 0x90)
      case 0xF1...0xF3: length = 4
      case 0xF4: (length, high) = (4, 0x8F)
      default: return at
      }
      guard at + length <= count, (low...high).contains(bytes[at + 1]) else { return at }
      for place in (at + 2)..<max(at + length, at + 2) where bytes[place] & 0xC0 != 0x80 { return at }
      at += length
    }
    return nil
  }
}
