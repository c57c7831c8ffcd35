/// One thing that is wrong with what a person wrote: what, where, what was expected, and perhaps what was meant.
public struct Diagnostic: Error, Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable {
    /// Nothing runs.
    case error
    case warning
  }

  /// Nil if it is about the file as a whole.
  public var location: SourceLocation?
  /// What is wrong.
  public var message: String
  /// What would be right, to follow the word "expected".
  public var expected: String?
  /// What was probably meant, as it would be written, without quotes around it.
  public var suggestion: String?
  public var severity: Severity

  public init(
    at location: SourceLocation?, _ message: String, expected: String? = nil, suggestion: String? = nil,
    severity: Severity = .error
  ) {
    self.location = location
    self.message = message
    self.expected = expected
    self.suggestion = suggestion
    self.severity = severity
  }

  /// `file:line:column: message; expected …; did you mean "x"?`
  public func rendered(file: String) -> String {
    var text = (location?.rendered(file: file) ?? file) + ": "
    if severity == .warning { text += "warning: " }
    text += message
    if let expected { text += "; expected \(expected)" }
    if let suggestion { text += "; did you mean \"\(suggestion)\"?" }
    return text
  }

  /// For `check --json`; absent parts are null, so that every entry has the same keys.
  public func json(file: String) -> JSONValue {
    let location = location.flatMap { $0.origin == nil ? $0 : nil }
    return [
      "file": .string(file), "line": location.map { .integer(Int64($0.line)) } ?? .null,
      "column": location.map { .integer(Int64($0.column)) } ?? .null,
      "origin": self.location?.origin.map { .string($0) } ?? .null, "severity": .string(severity.rawValue),
      "message": .string(message), "expected": expected.map { .string($0) } ?? .null,
      "suggestion": suggestion.map { .string($0) } ?? .null,
    ]
  }
}
