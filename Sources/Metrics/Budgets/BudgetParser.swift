import Core

/// Reads a budget by recursive descent; see docs/budgets.md for the grammar. The first mistake ends it.
struct BudgetParser {
  /// Longer texts are no budgets.
  static let longestText = 500
  /// How many operators a bound may have.
  static let mostOperators = 16

  private let text: String
  private var lexer: BudgetLexer
  private var current = BudgetLexer.Located(token: .end, offset: 0, text: "")

  init(_ text: String) {
    self.text = text
    lexer = BudgetLexer(text)
  }

  mutating func parse() throws(BudgetError) -> Budget {
    guard lexer.scalars.count <= Self.longestText else {
      throw BudgetError("a budget is at most \(Self.longestText) characters long", offset: Self.longestText)
    }
    try advance()
    var words = try wordsBeforeComparison()
    let head = try BudgetHead(&words, end: current.offset)
    let comparison = try comparison()
    let unit = try head.unit()
    var bound = BudgetBoundParser(unit: unit, subject: head.name)
    let value = try parseBound(&bound)
    let window = try window()
    guard !head.isWholeRunOnly || window == .whole else {
      throw BudgetError(
        "\"\(head.subject.phrase)\" is counted over the whole run and has no windows", offset: windowOffset)
    }
    return Budget(
      text: text, subject: head.subject, attempt: head.attempt, aggregate: head.aggregate, comparison: comparison,
      bound: value, window: window, unit: unit)
  }

  private mutating func advance() throws(BudgetError) { current = try lexer.next() }

  private mutating func wordsBeforeComparison() throws(BudgetError) -> [BudgetLexer.Located] {
    var words: [BudgetLexer.Located] = []
    while true {
      switch current.token {
      case .word, .quantity: words.append(current)
      default: return words
      }
      try advance()
    }
  }

  private mutating func comparison() throws(BudgetError) -> BudgetComparison {
    guard case .comparison(let comparison) = current.token else {
      throw BudgetError(
        current.token == .end ? "the budget has no comparison" : "\"\(current.text)\" does not compare",
        offset: current.offset, expected: "one of <, <=, >, >=, = and !=")
    }
    try advance()
    if case .comparison = current.token {
      throw BudgetError(
        "\"\(comparison.rawValue)\(current.text)\" does not compare", offset: current.offset - 1,
        expected: "one of <, <=, >, >=, = and !=")
    }
    return comparison
  }

  // MARK: Bound

  private mutating func parseBound(_ bound: inout BudgetBoundParser) throws(BudgetError) -> BudgetBound {
    let start = current.offset
    var operators = 0
    var result = try product(&bound, &operators)
    while case .sign(let sign) = current.token, sign == "+" || sign == "-" {
      try takeOperator(&operators)
      let right = try product(&bound, &operators)
      result = try bound.add(result, right, minus: sign == "-")
    }
    return try bound.finish(result, offset: start, operators: operators)
  }

  private mutating func product(_ bound: inout BudgetBoundParser, _ operators: inout Int) throws(BudgetError)
    -> BudgetBoundParser.Term
  {
    var result = try factor(&bound)
    while case .sign(let sign) = current.token, sign == "*" || sign == "/" {
      try takeOperator(&operators)
      let right = try factor(&bound)
      result = try bound.multiply(result, right, dividing: sign == "/")
    }
    return result
  }

  private mutating func takeOperator(_ operators: inout Int) throws(BudgetError) {
    operators += 1
    guard operators <= Self.mostOperators else {
      throw BudgetError("a bound has at most \(Self.mostOperators) operators", offset: current.offset)
    }
    try advance()
  }

  private mutating func factor(_ bound: inout BudgetBoundParser) throws(BudgetError) -> BudgetBoundParser.Term {
    let located = current
    switch located.token {
    case .quantity(let number, var unit):
      try advance()
      // A unit may stand apart: "250 ms".
      if unit.isEmpty, case .word(let word) = current.token, !Self.windowWords.contains(word), word != "baseline" {
        unit = word
        try advance()
        if case .sign("/") = current.token { try joinRate(&unit) }
      }
      return try bound.quantity(number: number, unit: unit, offset: located.offset)
    case .word("baseline"):
      try advance()
      return BudgetBoundParser.Term(bound: .baseline, measure: .inUnit, offset: located.offset)
    case .sign("-"):
      throw BudgetError("a bound is never negative", offset: located.offset)
    case .sign(let sign) where sign == "(" || sign == ")":
      throw BudgetError("a bound has no parentheses", offset: located.offset)
    case .end:
      throw BudgetError("the budget has no bound", offset: located.offset, expected: bound.expected)
    case .word(let word):
      throw BudgetError(
        "\"\(word)\" is no bound", offset: located.offset, expected: bound.expected,
        suggestion: Suggestion.nearest(to: word, among: ["baseline"]))
    default:
      throw BudgetError("\"\(located.text)\" is no bound", offset: located.offset, expected: bound.expected)
    }
  }

  /// "MB /s": takes the time behind a unit that stands apart.
  private mutating func joinRate(_ unit: inout String) throws(BudgetError) {
    try advance()
    guard case .word(let per) = current.token else {
      throw BudgetError("\"/\" is not followed by a time", offset: current.offset, expected: "a rate such as 5/s")
    }
    unit += "/" + per
    try advance()
  }

  // MARK: Window

  private static let windowWords = ["during", "after", "steady"]
  private var windowOffset = 0

  private mutating func window() throws(BudgetError) -> BudgetWindow {
    windowOffset = current.offset
    switch current.token {
    case .end: return .whole
    case .word("steady"):
      try advance()
      try expectEnd(after: "steady")
      return .steady
    case .word("during"):
      let (name, offset) = try windowName(after: "during")
      return name == "steady" ? .steady : name == "whole" ? .whole : .during(name, offset: offset)
    case .word("after"):
      let (name, offset) = try windowName(after: "after")
      if WindowTimeline.reservedNames.contains(name) {
        throw BudgetError("nothing comes after \"\(name)\"", offset: offset, expected: "the name of a fault")
      }
      return .after(name, offset: offset)
    default:
      throw BudgetError(
        "\"\(current.text)\" does not belong behind the bound", offset: current.offset,
        expected: "\"during NAME\", \"after NAME\", \"steady\" or the end",
        suggestion: Suggestion.nearest(to: current.text, among: Self.windowWords))
    }
  }

  private mutating func windowName(after word: String) throws(BudgetError) -> (String, Int) {
    let (name, offset) = lexer.rest()
    guard !name.isEmpty else {
      throw BudgetError("\"\(word)\" is not followed by a name", offset: offset, expected: "the name of a fault")
    }
    return (name, offset)
  }

  private mutating func expectEnd(after word: String) throws(BudgetError) {
    guard current.token == .end else {
      throw BudgetError(
        "\"\(current.text)\" does not belong behind \"\(word)\"", offset: current.offset, expected: "the end")
    }
  }
}
