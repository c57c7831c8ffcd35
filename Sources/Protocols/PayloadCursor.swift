import Core

/// Walks over JSON text without building anything: finds where values begin and end.
///
/// Values that are skipped are checked for balance and closed strings only; whoever decodes them finds the rest.
struct PayloadCursor {
  /// How deep values may nest; deeper text is no message.
  static let maximumDepth = 512

  enum Token: UInt8 { case object, array, string, number, yes, no, null }

  /// A value: what it is and where it stands.
  struct Value {
    var token: Token
    var range: ByteRange
  }

  let bytes: UnsafeBufferPointer<UInt8>
  var offset: Int

  init(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  @inline(__always)
  mutating func skipSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  /// Takes `byte` if it is the next one that is not white space.
  @inline(__always)
  mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  /// Whether nothing but white space is left.
  mutating func isAtEnd() -> Bool {
    skipSpace()
    return offset == bytes.count
  }

  /// Passes over the next value; nil where there is none or it is broken.
  @inline(__always)
  mutating func value() -> Value? {
    skipSpace()
    guard offset < bytes.count else { return nil }
    let start = offset
    let token: Token
    switch bytes[offset] {
    case 0x22:
      token = .string
      guard skipString() else { return nil }
    case 0x7B:
      token = .object
      guard skipNested() else { return nil }
    case 0x5B:
      token = .array
      guard skipNested() else { return nil }
    case 0x74:
      token = .yes
      guard skipWord("true") else { return nil }
    case 0x66:
      token = .no
      guard skipWord("false") else { return nil }
    case 0x6E:
      token = .null
      guard skipWord("null") else { return nil }
    case 0x2D, 0x30...0x39:
      token = .number
      guard skipNumber() else { return nil }
    default: return nil
    }
    return Value(token: token, range: ByteRange(start, offset))
  }

  /// Passes over a string whose opening quote is at `offset`.
  @inline(__always)
  mutating func skipString() -> Bool {
    var at = offset + 1
    let count = bytes.count
    while at < count {
      let byte = bytes[at]
      if byte == 0x22 {
        offset = at + 1
        return true
      }
      if byte < 0x20 { return false }
      at += byte == 0x5C ? 2 : 1
    }
    return false
  }

  /// Passes over an object or an array whose opening bracket is at `offset`.
  private mutating func skipNested() -> Bool {
    // One bit a level tells which bracket must close it: up to 64 levels without memory, deeper ones by count alone.
    var kinds: UInt64 = 0
    var depth = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      switch byte {
      case 0x22:
        guard skipString() else { return false }
        continue
      case 0x7B, 0x5B:
        kinds = kinds << 1 | (byte == 0x7B ? 1 : 0)
        depth += 1
        guard depth <= Self.maximumDepth else { return false }
      case 0x7D, 0x5D:
        guard depth > 64 || kinds & 1 == (byte == 0x7D ? 1 : 0) else { return false }
        kinds >>= 1
        depth -= 1
        if depth == 0 {
          offset += 1
          return true
        }
      default: break
      }
      offset += 1
    }
    return false
  }

  private mutating func skipWord(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - offset >= count else { return false }
    for index in 0..<count where bytes[offset + index] != word.utf8Start[index] { return false }
    offset += count
    return true
  }

  private mutating func skipNumber() -> Bool {
    var digits = 0
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x30...0x39: digits += 1
      case 0x2B, 0x2D, 0x2E, 0x45, 0x65: break
      default: return digits > 0
      }
      offset += 1
    }
    return digits > 0
  }
}

extension PayloadCursor {
  /// Calls `body` for each member of the object that begins here, with the range of its key's text between the quotes
  /// and its value; false where the object is broken.
  @inline(__always)
  mutating func members(_ body: (ByteRange, Value) -> Void) -> Bool {
    guard take(0x7B) else { return false }
    if take(0x7D) { return true }
    repeat {
      skipSpace()
      let start = offset
      guard start < bytes.count, bytes[start] == 0x22, skipString() else { return false }
      let key = ByteRange(start + 1, offset - 1)
      guard take(0x3A), let value = value() else { return false }
      body(key, value)
    } while take(0x2C)
    return take(0x7D)
  }

  /// Whether the bytes between a string's quotes are `word`, as written.
  @inline(__always)
  func text(_ range: ByteRange, is word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard range.count == count else { return false }
    let lower = Int(range.lower)
    var index = 0
    while index < count {
      if bytes[lower + index] != word.utf8Start[index] { return false }
      index += 1
    }
    return true
  }

  /// Whether the string value at `range` reads `word`, escapes considered.
  @inline(__always)
  func string(_ range: ByteRange, is word: StaticString) -> Bool {
    let inner = ByteRange(Int(range.lower) + 1, Int(range.upper) - 1)
    if text(inner, is: word) { return true }
    // Only an escape can make a longer text mean a shorter word.
    guard inner.count > word.utf8CodeUnitCount, bytes[inner.range].contains(0x5C) else { return false }
    return unescaped(inner) == "\(word)"
  }

  /// The text between quotes with its simple and ASCII `\u` escapes undone; for keys and words of the protocol only.
  func unescaped(_ range: ByteRange) -> String {
    var result: [UInt8] = []
    var at = Int(range.lower)
    while at < Int(range.upper) {
      guard bytes[at] == 0x5C, at + 1 < Int(range.upper) else {
        result.append(bytes[at])
        at += 1
        continue
      }
      if bytes[at + 1] == 0x75, at + 6 <= Int(range.upper),
        let unit = UInt8(String(decoding: bytes[(at + 2)..<(at + 6)], as: UTF8.self), radix: 16)
      {
        result.append(unit)
        at += 6
      } else {
        result.append(bytes[at + 1])
        at += 2
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// A number as an identifier: whole numbers as they are; any other as the bits of its `Double`, which tells it apart
  /// from every other. Nil for text that only looks like a number.
  @inline(__always)
  func identifier(_ range: ByteRange) -> Int64? {
    let negative = bytes[Int(range.lower)] == 0x2D
    var value: Int64 = 0
    var at = Int(range.lower) + (negative ? 1 : 0)
    let end = Int(range.upper)
    guard at < end, end - at <= 18 else { return fraction(range) }
    while at < end {
      let digit = bytes[at] &- 0x30
      guard digit <= 9 else { return fraction(range) }
      value = value &* 10 &+ Int64(digit)
      at += 1
    }
    return negative ? -value : value
  }

  private func fraction(_ range: ByteRange) -> Int64? {
    let text = String(decoding: bytes[range.range], as: UTF8.self)
    if let whole = Int64(text) { return whole }
    guard range.count <= 400, let number = Double(text), number.isFinite else { return nil }
    return Int64(exactly: number) ?? Int64(bitPattern: number.bitPattern)
  }
}
