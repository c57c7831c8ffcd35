import Core

/// What a scanned value is, told by its first byte.
public enum JSONKind: UInt8, Hashable, Sendable {
  case string, number, object, array, `true`, `false`, null
}

/// Whether a scan came to the end of a well-formed input.
public enum ScanResult: Hashable, Sendable {
  case ok
  /// What was reported before the mistake stands, and should be thrown away.
  case malformed
}

/// A member as it lies in the payload.
public struct ScannedMember: Hashable, Sendable {
  /// The key with its quotes, as written (compare it with `JSONText.equals`).
  public var key: ByteRange
  /// The raw value; a string with its quotes.
  public var value: ByteRange
  public var kind: JSONKind
  @inlinable public init(key: ByteRange, value: ByteRange, kind: JSONKind) {
    self.key = key
    self.value = value
    self.kind = kind
  }
}

/// An array's element as it lies in the payload.
public struct ScannedElement: Hashable, Sendable {
  public var value: ByteRange
  public var kind: JSONKind
  @inlinable public init(value: ByteRange, kind: JSONKind) {
    self.value = value
    self.kind = kind
  }
}

/// Finds the members of one JSON object, or the elements of one array, without building anything: the hot path.
///
/// It checks what it needs to know where values end: the whole input is one object (or array), brackets are balanced
/// and of the right kind, strings are closed, top-level members are well formed down to their numbers. What lies
/// inside nested values (separators, escapes, UTF-8) is not looked at; scan or parse them to know.
public enum TopLevelScanner {
  /// As deep as values may nest, the scanned one counted; as `JSONLimits.default`.
  public static let deepest = 128

  /// Calls `body` for each member of the object that `bytes` are, in the order written.
  /// - Parameter base: the offset of `bytes` in the payload, added to all ranges.
  @inlinable public static func scanObject(
    _ bytes: UnsafeRawBufferPointer, base: Int = 0, _ body: (ScannedMember) -> Void
  ) -> ScanResult {
    guard let start = bytes.baseAddress, fits(bytes.count, base) else { return .malformed }
    let count = bytes.count
    var at = ScanStep.space(start, 0, count)
    guard at < count, start.load(fromByteOffset: at, as: UInt8.self) == 0x7B else { return .malformed }
    at = ScanStep.space(start, at + 1, count)
    if at < count, start.load(fromByteOffset: at, as: UInt8.self) == 0x7D { return end(start, at + 1, count) }
    while true {
      guard at < count, start.load(fromByteOffset: at, as: UInt8.self) == 0x22 else { return .malformed }
      let keyStart = at
      let keyEnd = ScanStep.string(start, at, count)
      guard keyEnd > 0 else { return .malformed }
      at = ScanStep.space(start, keyEnd, count)
      guard at < count, start.load(fromByteOffset: at, as: UInt8.self) == 0x3A else { return .malformed }
      at = ScanStep.space(start, at + 1, count)
      guard at < count, let kind = ScanStep.kind(start.load(fromByteOffset: at, as: UInt8.self)) else {
        return .malformed
      }
      let valueStart = at
      at = ScanStep.value(start, at, count, kind)
      guard at > 0 else { return .malformed }
      body(
        ScannedMember(
          key: ByteRange(base &+ keyStart, base &+ keyEnd), value: ByteRange(base &+ valueStart, base &+ at),
          kind: kind))
      at = ScanStep.space(start, at, count)
      guard at < count else { return .malformed }
      let next = start.load(fromByteOffset: at, as: UInt8.self)
      if next == 0x7D { return end(start, at + 1, count) }
      guard next == 0x2C else { return .malformed }
      at = ScanStep.space(start, at + 1, count)
    }
  }

  /// Calls `body` for each element of the array that `bytes` are, in order.
  /// - Parameter base: the offset of `bytes` in the payload, added to all ranges.
  @inlinable public static func scanArray(
    _ bytes: UnsafeRawBufferPointer, base: Int = 0, _ body: (ScannedElement) -> Void
  ) -> ScanResult {
    guard let start = bytes.baseAddress, fits(bytes.count, base) else { return .malformed }
    let count = bytes.count
    var at = ScanStep.space(start, 0, count)
    guard at < count, start.load(fromByteOffset: at, as: UInt8.self) == 0x5B else { return .malformed }
    at = ScanStep.space(start, at + 1, count)
    if at < count, start.load(fromByteOffset: at, as: UInt8.self) == 0x5D { return end(start, at + 1, count) }
    while true {
      guard at < count, let kind = ScanStep.kind(start.load(fromByteOffset: at, as: UInt8.self)) else {
        return .malformed
      }
      let valueStart = at
      at = ScanStep.value(start, at, count, kind)
      guard at > 0 else { return .malformed }
      body(ScannedElement(value: ByteRange(base &+ valueStart, base &+ at), kind: kind))
      at = ScanStep.space(start, at, count)
      guard at < count else { return .malformed }
      let next = start.load(fromByteOffset: at, as: UInt8.self)
      if next == 0x5D { return end(start, at + 1, count) }
      guard next == 0x2C else { return .malformed }
      at = ScanStep.space(start, at + 1, count)
    }
  }

  /// Scans an object that lies within `payload`, such as a value an earlier scan reported; ranges are the payload's.
  @inlinable public static func scanObject(
    _ payload: UnsafeRawBufferPointer, in range: ByteRange, _ body: (ScannedMember) -> Void
  ) -> ScanResult {
    scanObject(payload[range], base: Int(range.lower), body)
  }

  /// Scans an array that lies within `payload`, such as a value an earlier scan reported; ranges are the payload's.
  @inlinable public static func scanArray(
    _ payload: UnsafeRawBufferPointer, in range: ByteRange, _ body: (ScannedElement) -> Void
  ) -> ScanResult {
    scanArray(payload[range], base: Int(range.lower), body)
  }

  /// Ranges hold 32 bits.
  @inlinable static func fits(_ count: Int, _ base: Int) -> Bool {
    base >= 0 && count <= Int(UInt32.max) && base <= Int(UInt32.max) - count
  }

  @inlinable static func end(_ start: UnsafeRawPointer, _ at: Int, _ count: Int) -> ScanResult {
    ScanStep.space(start, at, count) == count ? .ok : .malformed
  }
}
