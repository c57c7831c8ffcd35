/// Judges UTF-8 (RFC 3629) piece by piece, and says no at the first byte that cannot be right.
public struct UTF8Validator: Sendable {
  /// Continuation bytes still to come of a character.
  private var needed: UInt8 = 0
  /// What the next of them may be: narrower after E0, ED, F0 and F4 (overlong forms, surrogates, above U+10FFFF).
  private var lower: UInt8 = 0x80
  private var upper: UInt8 = 0xBF

  public init() {}

  /// True between characters, where a text may end.
  public var isComplete: Bool { needed == 0 }

  /// Takes the next bytes. After false the validator is of no further use.
  public mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    let count = bytes.count
    while index < count {
      if needed == 0 {
        while index &+ 8 <= count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        { index &+= 8 }
        if index == count { return true }
        guard begin(bytes[index]) else { return false }
      } else {
        let byte = bytes[index]
        guard byte >= lower && byte <= upper else { return false }
        needed &-= 1
        (lower, upper) = (0x80, 0xBF)
      }
      index &+= 1
    }
    return true
  }

  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x7F: return true
    case 0xC2...0xDF: needed = 1
    case 0xE0...0xEF:
      needed = 2
      if byte == 0xE0 { lower = 0xA0 }
      if byte == 0xED { upper = 0x9F }
    case 0xF0...0xF4:
      needed = 3
      if byte == 0xF0 { lower = 0x90 }
      if byte == 0xF4 { upper = 0x8F }
    default: return false
    }
    return true
  }

  /// Whether `bytes` are a whole text.
  public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var validator = UTF8Validator()
    return validator.consume(bytes) && validator.isComplete
  }
}
