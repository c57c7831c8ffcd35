/// A line that a run must hold: "transition p99 < 500ms during slow".
///
/// The grammar is in docs/budgets.md. `parse` reads one, `check` finds what does not fit the scenario before it runs,
/// `evaluate` says what became of it.
public struct Budget: Hashable, Sendable, CustomStringConvertible {
  /// As it was written.
  public let text: String
  public let subject: BudgetSubject
  /// The attempt number it is about, from 1; nil for all.
  public let attempt: Int?
  public let aggregate: BudgetAggregate
  public let comparison: BudgetComparison
  public let bound: BudgetBound
  public let window: BudgetWindow
  public let unit: BudgetUnit

  public var description: String { text }

  /// Reads a budget. Everything that can be told without the scenario is told here: unknown subjects, aggregates that
  /// make no sense for one, bounds in the wrong unit.
  public static func parse(_ text: String) -> Result<Budget, BudgetError> {
    var parser = BudgetParser(text)
    do {
      return .success(try parser.parse())
    } catch {
      return .failure(error)
    }
  }

  init(
    text: String, subject: BudgetSubject, attempt: Int?, aggregate: BudgetAggregate, comparison: BudgetComparison,
    bound: BudgetBound, window: BudgetWindow, unit: BudgetUnit
  ) {
    self.text = text
    self.subject = subject
    self.attempt = attempt
    self.aggregate = aggregate
    self.comparison = comparison
    self.bound = bound
    self.window = window
    self.unit = unit
  }

  /// Why it cannot be answered by this version, as a sentence; nil when it can. Such a budget is a mistake before a
  /// run, and has no data in one.
  public var notAvailableYet: String? {
    if case .later = subject.kind { return "\"\(subject.phrase)\" is understood but not available yet" }
    if bound.needsBaseline { return "a bound on \"baseline\" is understood but not available yet; write a fixed bound" }
    return nil
  }
}

/// The window a budget is about, as written.
public enum BudgetWindow: Hashable, Sendable {
  case whole
  case steady
  /// A fault by name, and where in the budget's text the name stands (0 is the first character).
  case during(String, offset: Int)
  case after(String, offset: Int)
}

/// What is wrong with a budget: where, what was expected, and what may have been meant.
public struct BudgetError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// It cannot mean anything.
    case mistake
    /// It is right, and this version cannot answer it.
    case notAvailableYet
  }

  public var kind: Kind
  /// Unicode scalars before the place in the budget's text.
  public var offset: Int
  /// One sentence, without the suggestion.
  public var message: String
  /// What would have been right there; nil where the message says all.
  public var expected: String?
  /// What may have been meant.
  public var suggestion: String?

  public init(_ message: String, offset: Int, expected: String? = nil, suggestion: String? = nil, kind: Kind = .mistake)
  {
    self.kind = kind
    self.offset = offset
    self.message = message
    self.expected = expected
    self.suggestion = suggestion
  }

  /// The place in the budget's text, from 1.
  public var column: Int { offset + 1 }

  /// `unknown metric "trnsition"; expected …; did you mean "transition"?`
  public var description: String {
    message + (expected.map { "; expected \($0)" } ?? "") + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
  }
}
