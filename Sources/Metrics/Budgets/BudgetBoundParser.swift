import Core

/// Puts a bound together and watches its units: a duration is compared with a duration, and so on.
struct BudgetBoundParser {
  /// What a part of the bound is.
  enum Measure: Hashable { case inUnit, plain }

  struct Term {
    var bound: BudgetBound
    var measure: Measure
    var offset: Int
  }

  let unit: BudgetUnit
  /// For messages: what the bound is compared with.
  let subject: String

  /// What a bound looks like here.
  var expected: String {
    switch unit {
    case .duration: Quantity.expectedDuration
    case .number: "a plain number"
    case .bytes: Quantity.expectedSize + " or a plain number"
    case .rate: Quantity.expectedRate
    case .byteRate: "a size per second such as \"64KiB/s\", or a rate in bytes such as \"500/s\""
    case .share: Quantity.expectedShare + " or a number from 0 to 1"
    }
  }

  func quantity(number: String, unit written: String, offset: Int) throws(BudgetError) -> Term {
    guard let plain = Double(number), plain.isFinite else {
      throw BudgetError("\"\(number)\" is no number", offset: offset, expected: expected)
    }
    if written.isEmpty { return Term(bound: .value(plain), measure: .plain, offset: offset) }
    guard let value = value(number, written) else { throw mismatch(number, written, offset) }
    return Term(bound: .value(value), measure: .inUnit, offset: offset)
  }

  private func value(_ number: String, _ written: String) -> Double? {
    let text = number + written
    switch unit {
    case .duration: return Quantity.duration(text).map { Double($0.nanoseconds) }
    case .number: return nil
    case .bytes: return Quantity.size(text).map(Double.init)
    case .rate: return Quantity.rate(text)
    case .byteRate:
      if let rate = Quantity.rate(text) { return rate }
      guard written.hasSuffix("/s") else { return nil }
      return Quantity.size(text.dropLast(2)).map(Double.init)
    case .share: return Quantity.share(text)
    }
  }

  /// The unit is unknown, or is one of something else.
  private func mismatch(_ number: String, _ written: String, _ offset: Int) -> BudgetError {
    let text = number + written
    let isKnown =
      Quantity.duration(text) != nil || Quantity.rate(text) != nil || Quantity.size(text) != nil
      || written == "%" || Quantity.size(text.dropLast(written.hasSuffix("/s") ? 2 : 0)) != nil
    if isKnown, unit == .share, written == "%" {
      return BudgetError("\"\(text)\" is no share", offset: offset, expected: expected)
    }
    if isKnown {
      return BudgetError("\"\(subject)\" is not compared with \"\(text)\"", offset: offset, expected: expected)
    }
    let units: [String]
    switch unit {
    case .duration: units = ["ns", "us", "ms", "s", "m", "h"]
    case .number: units = []
    case .bytes: units = ["B", "kB", "MB", "GB", "KiB", "MiB", "GiB"]
    case .rate, .byteRate: units = ["/s", "/m", "/h"]
    case .share: units = ["%"]
    }
    let nearest = Suggestion.nearest(to: written, among: units) ?? Self.spelledOut[written.lowercased()]
    return BudgetError(
      "unknown unit \"\(written)\"", offset: offset, expected: expected,
      suggestion: nearest.flatMap { units.contains($0) ? number + $0 : nil })
  }

  private static let spelledOut = [
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "msec": "ms", "millis": "ms", "milliseconds": "ms",
    "usec": "us", "micros": "us", "minute": "m", "minutes": "m", "mins": "m", "hour": "h", "hours": "h", "percent": "%",
  ]

  func add(_ a: Term, _ b: Term, minus: Bool) throws(BudgetError) -> Term {
    let a = try asValue(a)
    let b = try asValue(b)
    return Term(
      bound: minus ? .difference(a.bound, b.bound) : .sum(a.bound, b.bound), measure: .inUnit, offset: a.offset)
  }

  func multiply(_ a: Term, _ b: Term, dividing: Bool) throws(BudgetError) -> Term {
    if b.measure == .plain, case .value(let factor) = b.bound {
      if dividing, factor == 0 { throw BudgetError("a bound cannot be divided by 0", offset: b.offset) }
      return Self.scale(a, by: dividing ? 1 / factor : factor)
    }
    if !dividing, a.measure == .plain, case .value(let factor) = a.bound { return Self.scale(b, by: factor) }
    throw BudgetError(
      dividing ? "a bound is divided by plain numbers only" : "a bound is multiplied by plain numbers only",
      offset: b.offset, expected: "a factor such as \"baseline * 1.1\"")
  }

  private static func scale(_ term: Term, by factor: Double) -> Term {
    var term = term
    if case .value(let value) = term.bound {
      term.bound = .value(value * factor)
    } else {
      term.bound = .scaled(term.bound, by: factor)
    }
    return term
  }

  /// The bound, if it is one for this unit.
  func finish(_ term: Term, offset: Int, operators: Int) throws(BudgetError) -> BudgetBound {
    let term = try asValue(term)
    if operators > 0, !term.bound.needsBaseline {
      throw BudgetError(
        "arithmetic is for bounds on \"baseline\"", offset: offset, expected: "the value itself, or \"baseline * 1.1\"")
    }
    return term.bound
  }

  /// A plain number as a value of the budget's unit, where that is what plain numbers are.
  private func asValue(_ term: Term) throws(BudgetError) -> Term {
    guard term.measure == .plain, case .value(let number) = term.bound else { return term }
    switch unit {
    case .number, .bytes: break
    case .share where number <= 1: break
    case .duration:
      throw BudgetError(
        "\"\(subject)\" is a duration, and \"\(Self.text(number))\" has no unit", offset: term.offset,
        expected: Quantity.expectedDuration, suggestion: "\(Self.text(number))ms")
    case .rate, .byteRate:
      throw BudgetError(
        "\"\(subject)\" is a rate, and \"\(Self.text(number))\" has no time", offset: term.offset, expected: expected,
        suggestion: "\(Self.text(number))/s")
    case .share:
      throw BudgetError(
        "\"\(Self.text(number))\" is no share", offset: term.offset, expected: expected,
        suggestion: number <= 100 ? "\(Self.text(number))%" : nil)
    }
    return Term(bound: term.bound, measure: .inUnit, offset: term.offset)
  }

  private static func text(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
  }
}
