/// Why a text is not JSON: where, what was wrong, and what was expected there.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: String, Hashable, Sendable {
    /// Something else stands where `expected` should.
    case unexpected
    /// The text ends where `expected` should stand.
    case truncated
    /// More levels of arrays and objects than the limit.
    case tooDeep
    /// More bytes than the limit.
    case tooLarge
    /// Bytes that are not UTF-8.
    case invalidUTF8
    /// A `\u` escape of half a surrogate pair.
    case loneSurrogate
    /// A number too large for a double.
    case numberOutOfRange
  }

  public var reason: Reason
  /// In bytes from the start of the text.
  public var offset: Int
  public var expected: String

  public init(_ reason: Reason, at offset: Int, expected: String) {
    self.reason = reason
    self.offset = offset
    self.expected = expected
  }

  public var description: String {
    let wrong =
      switch reason {
      case .unexpected: "unexpected content"
      case .truncated: "the text ends too early"
      case .tooDeep: "nested too deep"
      case .tooLarge: "too large"
      case .invalidUTF8: "invalid UTF-8"
      case .loneSurrogate: "half a surrogate pair"
      case .numberOutOfRange: "a number out of range"
      }
    return "invalid JSON at byte \(offset): \(wrong); expected \(expected)"
  }
}
