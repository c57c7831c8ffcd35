import Core
import Metrics
import Reporting

/// Whether the generator kept up: its own lag must not be what a budget measures.
enum GeneratorCheck {
  /// A loop whose p99 lag is above this is no measuring instrument, whatever the budgets say.
  static let mostLag = Duration.milliseconds(100)

  /// - Parameter lag: `loopLag` over the whole run; empty in virtual time.
  static func check(_ lag: Histogram) -> GeneratorRecord {
    guard let p99 = lag.percentile(99)?.value else { return GeneratorRecord() }
    guard p99 > mostLag else { return GeneratorRecord(lagP99: p99, lagMax: lag.max) }
    return GeneratorRecord(
      invalid: "the generator was late: loop lag p99 \(Quantity.text(p99)), at most \(Quantity.text(mostLag)) is"
        + " allowed; run fewer clients, a lower rate, or on an idle machine",
      lagP99: p99, lagMax: lag.max)
  }

  /// A latency budget that failed by no more than the generator's own lag is undecided: the lag may be what was measured.
  /// Lag only ever adds to a latency, so a budget that held has held.
  static func doubt(_ result: BudgetResult, of budget: Budget, lag: Histogram) -> BudgetResult {
    guard result.outcome == .fail, budget.unit == .duration, [.less, .lessOrEqual].contains(budget.comparison),
      budget.subject.phrase != Metric.loopLag.name, let value = result.value,
      let bound = budget.bound.value(baseline: nil), let p99 = lag.percentile(99)?.value,
      budget.comparison.holds(max(0, value - Double(p99.nanoseconds)), bound)
    else { return result }
    var result = result
    result.outcome = .undecided
    result.reason = "it failed by no more than the generator's own lag (p99 \(Quantity.text(p99)))"
    return result
  }
}
