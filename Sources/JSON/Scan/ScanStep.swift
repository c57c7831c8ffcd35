import Glibc

/// The scanner's steps over raw bytes: each takes an offset and answers the offset past what it skipped, or -1.
@usableFromInline enum ScanStep {
  @inlinable @inline(__always)
  static func space(_ base: UnsafeRawPointer, _ start: Int, _ count: Int) -> Int {
    var at = start
    while at < count {
      let byte = base.load(fromByteOffset: at, as: UInt8.self)
      // All space is at most 0x20, nearly nothing else is.
      guard byte <= 0x20 else { return at }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return at }
      at &+= 1
    }
    return at
  }

  @inlinable @inline(__always)
  static func kind(_ byte: UInt8) -> JSONKind? {
    switch byte {
    case 0x22: .string
    case 0x7B: .object
    case 0x5B: .array
    case 0x2D, 0x30...0x39: .number
    case 0x74: .true
    case 0x66: .false
    case 0x6E: .null
    default: nil
    }
  }

  /// Skips a string whose opening quote is at `start`.
  @usableFromInline static func string(_ base: UnsafeRawPointer, _ start: Int, _ count: Int) -> Int {
    var at = start &+ 1
    // Keys and short values end within a few bytes, where a call to memchr would cost more than the loop.
    let near = min(count, at &+ 16)
    while at < near {
      let byte = base.load(fromByteOffset: at, as: UInt8.self)
      if byte == 0x22 { return at &+ 1 }
      if byte == 0x5C {
        at &+= 2
      } else {
        at &+= 1
      }
    }
    while at < count, let hit = memchr(base + at, 0x22, count &- at) {
      let quote = UnsafeRawPointer(hit) - base
      var slashes = quote
      while slashes > at, base.load(fromByteOffset: slashes &- 1, as: UInt8.self) == 0x5C { slashes &-= 1 }
      if (quote &- slashes) & 1 == 0 { return quote &+ 1 }
      at = quote &+ 1
    }
    return -1
  }

  /// Skips a value of the kind its first byte tells.
  @usableFromInline static func value(_ base: UnsafeRawPointer, _ start: Int, _ count: Int, _ kind: JSONKind) -> Int {
    switch kind {
    case .string: return string(base, start, count)
    case .object, .array: return nested(base, start, count)
    case .number:
      let shape = NumberShape.read(base.assumingMemoryBound(to: UInt8.self), at: start, count: count)
      return shape.isValid ? shape.end : -1
    case .true: return word("true", base, start, count)
    case .false: return word("false", base, start, count)
    case .null: return word("null", base, start, count)
    }
  }

  @inline(__always)
  private static func word(_ word: StaticString, _ base: UnsafeRawPointer, _ start: Int, _ count: Int) -> Int {
    let length = word.utf8CodeUnitCount
    guard count &- start >= length, memcmp(base + start, word.utf8Start, length) == 0 else { return -1 }
    return start &+ length
  }

  /// Skips a nested object or array: strings and brackets only.
  private static func nested(_ base: UnsafeRawPointer, _ start: Int, _ count: Int) -> Int {
    // One bit a level tells whether a brace or a bracket is open; 128 levels fit two words.
    var low: UInt64 = 0
    var high: UInt64 = 0
    var depth = 1
    var at = start
    while at < count {
      let byte = base.load(fromByteOffset: at, as: UInt8.self)
      if byte == 0x22 {
        at = string(base, at, count)
        guard at > 0 else { return -1 }
        continue
      }
      at &+= 1
      // Braces are brackets with bit 5 set.
      let bracket = byte | 0x20
      if bracket == 0x7B {
        depth &+= 1
        guard depth <= TopLevelScanner.deepest else { return -1 }
        high = high << 1 | low >> 63
        low = low << 1 | UInt64(byte >> 5 & 1)
      } else if bracket == 0x7D {
        guard low & 1 == UInt64(byte >> 5 & 1) else { return -1 }
        depth &-= 1
        if depth == 1 { return at }
        low = low >> 1 | high << 63
        high >>= 1
      }
    }
    return -1
  }
}
