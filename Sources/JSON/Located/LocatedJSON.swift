/// Reads files that people write: JSON5, every value with its line and column, every mistake reported at once.
///
/// JSON5 is read as json5.org has it, but for `Infinity` and `NaN`, which are mistakes, and for these tightenings:
/// no duplicate keys, no raw control characters in strings, no escapes in unquoted keys.
public enum LocatedJSON {
  /// Reads a file's bytes.
  ///
  /// After a mistake reading goes on where that makes sense, so the value may be there beside mistakes, with
  /// `invalid` in place of what could not be read. It is nil if nothing could be read at all.
  /// - Parameter diagnostics: where mistakes go; a new collection unless given.
  public static func read(
    _ bytes: [UInt8], limits: JSONLimits = .default, diagnostics: Diagnostics = Diagnostics()
  ) -> (value: LocatedValue?, diagnostics: Diagnostics) {
    guard bytes.count <= limits.bytes else {
      diagnostics.error(
        at: SourceLocation(line: 1, column: 1), "the file has \(bytes.count) bytes",
        expected: "at most \(limits.bytes) bytes")
      return (nil, diagnostics)
    }
    var reader = LocatedReader(bytes: bytes, limits: limits, diagnostics: diagnostics)
    if let wrong = bytes.withUnsafeBytes(UTF8Check.firstInvalid) {
      reader.report(wrong, "the file is not UTF-8 text", expected: "a file saved as UTF-8")
      return (nil, diagnostics)
    }
    return (reader.document(), diagnostics)
  }

  /// Reads a text.
  public static func read(
    _ text: String, limits: JSONLimits = .default, diagnostics: Diagnostics = Diagnostics()
  ) -> (value: LocatedValue?, diagnostics: Diagnostics) {
    read(Array(text.utf8), limits: limits, diagnostics: diagnostics)
  }

  /// The value that the text of a command-line argument means: JSON5 if it is that, else the text itself as a string,
  /// so that `90s` needs no quotes.
  public static func argument(_ text: String, at location: SourceLocation) -> LocatedValue {
    let (value, diagnostics) = read(text)
    guard let value, !diagnostics.hasErrors else { return LocatedValue(.string(text), at: location) }
    return value.relocated(to: location)
  }
}
