/// Cuts a budget's text into words, quantities and signs, one at a time and each with its place.
struct BudgetLexer {
  enum Token: Hashable {
    /// A letter, then letters, digits, dots and underscores.
    case word(String)
    /// A number, and the unit right behind it (`ms`, `%`, `/s`; empty for none).
    case quantity(number: String, unit: String)
    case comparison(BudgetComparison)
    /// One of `+ - * / ( )`.
    case sign(Unicode.Scalar)
    case end
  }

  struct Located: Hashable {
    var token: Token
    /// Unicode scalars before it.
    var offset: Int
    /// Its text.
    var text: String
  }

  let scalars: [Unicode.Scalar]
  private(set) var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  private func scalar(_ ahead: Int = 0) -> Unicode.Scalar? {
    position + ahead < scalars.count ? scalars[position + ahead] : nil
  }

  mutating func next() throws(BudgetError) -> Located {
    while let scalar = scalar(), Self.isSpace(scalar) { position += 1 }
    let start = position
    let token = try token()
    return Located(token: token, offset: start, text: text(start..<position))
  }

  /// All that is left, blanks at both ends taken off, and where it begins.
  mutating func rest() -> (text: String, offset: Int) {
    while let scalar = scalar(), Self.isSpace(scalar) { position += 1 }
    let start = position
    var end = scalars.count
    while end > start, Self.isSpace(scalars[end - 1]) { end -= 1 }
    position = scalars.count
    return (text(start..<end), start)
  }

  private func text(_ range: Range<Int>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[range])
    return String(view)
  }

  private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
    let start = position
    while let scalar = scalar(), condition(scalar) { position += 1 }
    return text(start..<position)
  }

  private mutating func token() throws(BudgetError) -> Token {
    guard let first = scalar() else { return .end }
    if Self.isLetter(first) {
      return .word(take { Self.isLetter($0) || Self.isDigit($0) || $0 == "." || $0 == "_" })
    }
    if Self.isDigit(first) || first == "." { return quantity() }
    switch first {
    case "<", ">", "=", "!":
      return .comparison(try comparison(first))
    case "+", "-", "*", "/", "(", ")":
      position += 1
      return .sign(first)
    default:
      throw BudgetError("\"\(first)\" has no meaning in a budget", offset: position)
    }
  }

  private mutating func quantity() -> Token {
    let number = take { Self.isDigit($0) || $0 == "." }
    // "5 %" and "30 /m": signs that can only be a unit may stand apart, as words may (the parser joins those).
    var apart = 0
    while let scalar = scalar(apart), Self.isSpace(scalar) { apart += 1 }
    if scalar(apart) == "%" || scalar(apart) == "/" && scalar(apart + 1).map(Self.isLetter) == true {
      position += apart
    }
    var unit = take { Self.isLetter($0) || $0 == "%" }
    if scalar() == "/", let following = scalar(1), Self.isLetter(following) {
      position += 1
      unit += "/" + take { Self.isLetter($0) }
    }
    return .quantity(number: number, unit: unit)
  }

  private mutating func comparison(_ first: Unicode.Scalar) throws(BudgetError) -> BudgetComparison {
    let start = position
    position += 1
    let withEqual = scalar() == "="
    if withEqual { position += 1 }
    switch first {
    case "<": return withEqual ? .lessOrEqual : .less
    case ">": return withEqual ? .greaterOrEqual : .greater
    case "=": return .equal
    default:
      guard withEqual else { throw BudgetError("\"!\" alone compares nothing", offset: start, suggestion: "!=") }
      return .notEqual
    }
  }

  static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
  static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
  /// ASCII letters, and both characters people write for micro.
  static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "\u{B5}" || scalar == "\u{3BC}"
  }
}
