import Core
import JSON

/// The number that a client gives a message so that its reply can be told: a string in all known clients. It is sent
/// back as it came.
public enum PalbaseRef: Hashable, Sendable, ExpressibleByIntegerLiteral {
  case text(String)
  case number(Int64)

  /// The usual form: a number written as a string.
  public init(_ number: Int64) { self = .text(String(number)) }
  public init(integerLiteral value: Int64) { self.init(value) }

  /// One number for equal refs: "7" and 7 are 7, and another text is a negative number made from it.
  public var numeric: Int64 {
    switch self {
    case .number(let number): return number
    case .text(let text):
      if let number = Int64(text) { return number }
      return Int64(bitPattern: StableHash.of(text.utf8) | 1 << 63)
    }
  }

  /// Reads a string or a whole number; nil for everything else.
  init?(_ raw: UnsafeRawBufferPointer, _ kind: JSONKind) {
    switch kind {
    case .string:
      guard let text = JSONText.string(of: raw) else { return nil }
      self = .text(text)
    case .number:
      guard let number = JSONText.integer(of: raw) else { return nil }
      self = .number(number)
    default: return nil
    }
  }

  func write(into bytes: inout [UInt8]) {
    switch self {
    case .text(let text): bytes.append(jsonString: text)
    case .number(let number): bytes.append(number: number)
    }
  }

  /// `numeric` of a raw value, without building the text where it is a plain number.
  static func numeric(_ raw: UnsafeRawBufferPointer, _ kind: JSONKind) -> Int64? {
    if kind == .string, raw.count >= 3, raw.count <= 20 {
      var value: Int64 = 0
      for byte in raw[1..<(raw.count - 1)] {
        guard byte >= 0x30, byte <= 0x39 else { return PalbaseRef(raw, kind)?.numeric }
        value = value &* 10 &+ Int64(byte &- 0x30)
      }
      return value
    }
    return PalbaseRef(raw, kind)?.numeric
  }
}
