/// A place in a file that a person wrote, or the command-line argument a value came from.
public struct SourceLocation: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// From 1; 0 for a value that stands in no file.
  public var line: Int
  /// In characters (Unicode scalars, a tab is one) from 1; 0 for a value that stands in no file.
  public var column: Int
  /// For a value that came from elsewhere: what to print in place of file, line and column, such as `--set seed=x`.
  public var origin: String?

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The place of a value that was given outside any file, such as by `--set`.
  public static func outside(_ origin: String) -> SourceLocation {
    var location = SourceLocation(line: 0, column: 0)
    location.origin = origin
    return location
  }

  public static func < (a: SourceLocation, b: SourceLocation) -> Bool { (a.line, a.column) < (b.line, b.column) }

  public var description: String { origin ?? "line \(line), column \(column)" }

  /// `file:line:column`, or where else the value came from.
  public func rendered(file: String) -> String { origin ?? "\(file):\(line):\(column)" }
}
