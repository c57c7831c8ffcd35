/// Collects everything that is wrong with a file, from its reader and all its decoders, so that it is shown at once.
public final class Diagnostics {
  private var collected: [Diagnostic] = []
  private var known: Set<Diagnostic> = []
  public private(set) var hasErrors = false
  /// More than this many are counted and not kept.
  public static let most = 1000
  public private(set) var omitted = 0

  public init() {}

  /// One that is already there is not added again.
  public func add(_ diagnostic: Diagnostic) {
    if diagnostic.severity == .error { hasErrors = true }
    guard !known.contains(diagnostic) else { return }
    guard collected.count < Self.most else {
      omitted += 1
      return
    }
    known.insert(diagnostic)
    collected.append(diagnostic)
  }

  public func error(
    at location: SourceLocation?, _ message: String, expected: String? = nil, suggestion: String? = nil
  ) {
    add(Diagnostic(at: location, message, expected: expected, suggestion: suggestion))
  }

  public func warning(
    at location: SourceLocation?, _ message: String, expected: String? = nil, suggestion: String? = nil
  ) {
    add(Diagnostic(at: location, message, expected: expected, suggestion: suggestion, severity: .warning))
  }

  /// In the order of the file; those without a place first, those in one place in the order they were found.
  public var all: [Diagnostic] {
    collected.enumerated().sorted { a, b in
      switch (a.element.location, b.element.location) {
      case (let left?, let right?) where left < right || right < left: left < right
      case (nil, .some): true
      case (.some, nil): false
      default: a.offset < b.offset
      }
    }.map(\.element)
  }

  public var count: Int { collected.count }
  public var isEmpty: Bool { collected.isEmpty }

  /// One line each, in the order of the file, without a newline at the end.
  public func rendered(file: String) -> String {
    var lines = all.map { $0.rendered(file: file) }
    if omitted > 0 { lines.append("\(file): and \(omitted) more") }
    return lines.joined(separator: "\n")
  }

  /// An array for `check --json`, in the order of the file.
  public func json(file: String) -> JSONValue { .array(all.map { $0.json(file: file) }) }
}
