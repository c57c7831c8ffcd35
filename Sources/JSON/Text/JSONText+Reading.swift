import Core

extension UnsafeRawBufferPointer {
  /// The bytes of a range that a scan of these bytes reported.
  @inlinable public subscript(range: ByteRange) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[range.range])
  }
}

/// Reads one raw value, as `TopLevelScanner` reports it: no space around it, strings with their quotes.
extension JSONText {
  /// The text of a quoted string, unescaped; nil for any other value, wrong escapes and invalid UTF-8.
  public static func string(of raw: UnsafeRawBufferPointer) -> String? {
    guard raw.count >= 2, raw[0] == UInt8(ascii: "\"") else { return nil }
    guard case .success(let (text, length)) = StringBody.read(UnsafeRawBufferPointer(rebasing: raw[1...])),
      length == raw.count - 2
    else { return nil }
    return text
  }

  /// Whether a value is the quoted string `literal` (which holds neither quotes nor backslashes).
  /// Allocates only for a value that is written with escapes.
  @inlinable public static func equals(_ raw: UnsafeRawBufferPointer, _ literal: StaticString) -> Bool {
    let length = literal.utf8CodeUnitCount
    // An escape is longer than what it stands for, so a shorter text is never the same.
    guard raw.count >= length &+ 2, let base = raw.baseAddress else { return false }
    guard base.load(as: UInt8.self) == 0x22 else { return false }
    let expected = literal.utf8Start
    for place in 0..<length {
      let byte = base.load(fromByteOffset: place &+ 1, as: UInt8.self)
      if byte != expected[place] { return byte == 0x5C && equalsUnescaped(raw, literal) }
    }
    return raw.count == length &+ 2 && base.load(fromByteOffset: length &+ 1, as: UInt8.self) == 0x22
  }

  @usableFromInline static func equalsUnescaped(_ raw: UnsafeRawBufferPointer, _ literal: StaticString) -> Bool {
    let expected = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    return string(of: raw)?.utf8.elementsEqual(expected) ?? false
  }

  /// A number that is whole and fits; `2.0` and `2e0` count as 2. Nil for any other value.
  public static func integer(of raw: UnsafeRawBufferPointer) -> Int64? {
    guard let (shape, base) = number(raw) else { return nil }
    if shape.isWhole { return NumberShape.integer(base, from: 0, to: raw.count) }
    return shape.value(base, from: 0)?.integer
  }

  /// Any number within the range of a double; nil for any other value.
  public static func double(of raw: UnsafeRawBufferPointer) -> Double? {
    guard let (shape, base) = number(raw) else { return nil }
    return shape.value(base, from: 0)?.double
  }

  /// `true` or `false`; nil for any other value.
  public static func bool(of raw: UnsafeRawBufferPointer) -> Bool? {
    if raw.elementsEqual("true".utf8) { return true }
    return raw.elementsEqual("false".utf8) ? false : nil
  }

  /// The value as a tree; nil if it is not valid JSON within the limits.
  public static func value(of raw: UnsafeRawBufferPointer, limits: JSONLimits = .default) -> JSONValue? {
    try? JSONValue.parse(raw, limits: limits)
  }

  private static func number(_ raw: UnsafeRawBufferPointer) -> (NumberShape, UnsafePointer<UInt8>)? {
    guard let base = raw.bindMemory(to: UInt8.self).baseAddress, raw.count > 0 else { return nil }
    let shape = NumberShape.read(base, at: 0, count: raw.count)
    return shape.isValid && shape.end == raw.count ? (shape, base) : nil
  }
}

/// The same over slices of a payload, as `WireMessage.bytes(_:)` gives them.
extension JSONText {
  public static func string(of raw: ArraySlice<UInt8>) -> String? { raw.withUnsafeBytes { string(of: $0) } }
  public static func equals(_ raw: ArraySlice<UInt8>, _ literal: StaticString) -> Bool {
    raw.withUnsafeBytes { equals($0, literal) }
  }
  public static func integer(of raw: ArraySlice<UInt8>) -> Int64? { raw.withUnsafeBytes { integer(of: $0) } }
  public static func double(of raw: ArraySlice<UInt8>) -> Double? { raw.withUnsafeBytes { double(of: $0) } }
  public static func bool(of raw: ArraySlice<UInt8>) -> Bool? { raw.withUnsafeBytes { bool(of: $0) } }
  public static func value(of raw: ArraySlice<UInt8>, limits: JSONLimits = .default) -> JSONValue? {
    raw.withUnsafeBytes { value(of: $0, limits: limits) }
  }
}
