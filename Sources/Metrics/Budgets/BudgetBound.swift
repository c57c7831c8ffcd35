import Core

/// How a budget compares what was observed with its bound.
public enum BudgetComparison: String, Hashable, Sendable, CaseIterable {
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case equal = "="
  case notEqual = "!="

  /// Whether a value keeps to the bound.
  public func holds(_ value: Double, _ bound: Double) -> Bool {
    switch self {
    case .less: value < bound
    case .lessOrEqual: value <= bound
    case .greater: value > bound
    case .greaterOrEqual: value >= bound
    case .equal: value == bound
    case .notEqual: value != bound
    }
  }

  /// What is certain when the value is only known to lie from `low` to `high` (nil: nobody knows how high); nil when it
  /// may go either way.
  func holds(from low: Double, to high: Double?, _ bound: Double) -> Bool? {
    let reach = high ?? .infinity
    if low == reach { return holds(low, bound) }
    switch self {
    case .less: return reach < bound ? true : low >= bound ? false : nil
    case .lessOrEqual: return reach <= bound ? true : low > bound ? false : nil
    case .greater: return low > bound ? true : reach <= bound ? false : nil
    case .greaterOrEqual: return low >= bound ? true : reach < bound ? false : nil
    case .equal: return bound < low || bound > reach ? false : nil
    case .notEqual: return bound < low || bound > reach ? true : nil
    }
  }
}

/// What a budget compares with: a fixed value, or arithmetic on the value of an earlier run.
public indirect enum BudgetBound: Hashable, Sendable {
  /// In the base of the budget's unit: nanoseconds, things, bytes, per second, or a share from 0 to 1.
  case value(Double)
  /// The same figure in the run that is compared with.
  case baseline
  case sum(BudgetBound, BudgetBound)
  case difference(BudgetBound, BudgetBound)
  /// A bound times (or divided by, for factors below 1) a plain number.
  case scaled(BudgetBound, by: Double)

  /// The bound as a value; nil when it needs a baseline and there is none.
  public func value(baseline: Double?) -> Double? {
    switch self {
    case .value(let value): return value
    case .baseline: return baseline
    case .scaled(let bound, let factor): return bound.value(baseline: baseline).map { $0 * factor }
    case .sum(let a, let b): return combine(a, b, baseline) { $0 + $1 }
    case .difference(let a, let b): return combine(a, b, baseline) { $0 - $1 }
    }
  }

  private func combine(_ a: BudgetBound, _ b: BudgetBound, _ baseline: Double?, _ body: (Double, Double) -> Double)
    -> Double?
  {
    guard let a = a.value(baseline: baseline), let b = b.value(baseline: baseline) else { return nil }
    return body(a, b)
  }

  /// Whether it refers to an earlier run.
  public var needsBaseline: Bool {
    switch self {
    case .value: false
    case .baseline: true
    case .scaled(let bound, _): bound.needsBaseline
    case .sum(let a, let b), .difference(let a, let b): a.needsBaseline || b.needsBaseline
    }
  }
}
