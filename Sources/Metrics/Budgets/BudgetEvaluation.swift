import Core

extension Budget {
  /// What a run's figures say of the budget.
  ///
  /// Without samples (for a counter: without anything that could have been counted) it has no data, never a pass. A
  /// figure that is only known to be at least something decides what it can and leaves the rest undecided.
  public func evaluate(_ metrics: MetricSet) -> BudgetResult {
    if let sentence = notAvailableYet { return noData(sentence) }
    guard let window = window(in: metrics.timeline) else { return noData("the scenario has no such window") }
    guard !metrics.timeline.spans(of: window).isEmpty else {
      return noData("the run had no time in \"\(metrics.timeline.name(of: window))\"")
    }
    switch observe(metrics, window) {
    case .failure(let absence): return noData(absence.reason)
    case .success(let observation): return judge(observation)
    }
  }

  struct Observation {
    var value: Double
    var isLowerBound = false
    /// The least it can be, where that is less than `value`.
    var least: Double?
    var samples: UInt64
  }

  struct Absence: Error { var reason: String }

  private func observe(_ metrics: MetricSet, _ window: Window) -> Result<Observation, Absence> {
    switch subject.kind {
    case .metric(let metric):
      return of(metrics.histogram(metric, attempt: attempt, in: window), over: metrics.timeline.length(of: window))
    case .reconnectsPerClient:
      return of(metrics.reconnectsPerClient.distribution, over: metrics.timeline.length(of: window))
    case .attemptsPerClient:
      return of(metrics.attemptsPerClient.distribution, over: metrics.timeline.length(of: window))
    case .counters(let counters):
      return of(counters, metrics, window)
    case .dispersion:
      let dispersion = metrics.dispersion(attempt: attempt, in: window)
      return of(dispersion.index, samples: dispersion.total, "no attempt followed a drop")
    case .herd:
      let dispersion = metrics.dispersion(attempt: attempt, in: window)
      return of(dispersion.busiestShare, samples: dispersion.total, "no attempt followed a drop")
    case .later:
      return .failure(Absence(reason: "not available yet"))
    }
  }

  private func of(_ value: Double?, samples: UInt64, _ absence: String) -> Result<Observation, Absence> {
    value.map { .success(Observation(value: $0, samples: samples)) } ?? .failure(Absence(reason: absence))
  }

  private func of(_ histogram: Histogram, over length: Duration) -> Result<Observation, Absence> {
    guard let min = histogram.min, let max = histogram.max, let mean = histogram.mean else {
      return .failure(Absence(reason: "no samples"))
    }
    let samples = histogram.count
    let hasCensored = histogram.censoredCount > 0
    func observation(_ value: Duration, isLowerBound: Bool) -> Result<Observation, Absence> {
      .success(Observation(value: Double(value.nanoseconds), isLowerBound: isLowerBound, samples: samples))
    }
    switch aggregate {
    case .percentile(let p):
      guard let percentile = histogram.percentile(p) else { return .failure(Absence(reason: "no samples")) }
      return .success(
        Observation(
          value: Double(percentile.value.nanoseconds), isLowerBound: percentile.isLowerBound,
          least: Double(percentile.least.nanoseconds), samples: samples))
    case .min: return observation(min, isLowerBound: histogram.percentile(0)?.isLowerBound ?? false)
    case .max: return observation(max, isLowerBound: hasCensored)
    case .mean: return observation(mean, isLowerBound: hasCensored)
    case .count, .share: return .success(Observation(value: Double(samples), samples: samples))
    case .rate: return .success(Observation(value: Double(samples) / length.inSeconds, samples: samples))
    }
  }

  private func of(_ counters: [Counter], _ metrics: MetricSet, _ window: Window) -> Result<Observation, Absence> {
    let total = counters.reduce(0 as UInt64) { $0.addingClamped(metrics.total($1, in: window)) }
    let opportunity = counters.first?.opportunity
    // What no counter has the chances of can happen to whoever takes part, in any window.
    let chances = opportunity.map { metrics.total($0, in: window) } ?? Swift.max(metrics.total(.clients), total)
    guard chances > 0 else {
      return .failure(Absence(reason: opportunity.map { "no \($0.name) in this window" } ?? "no client took part"))
    }
    switch aggregate {
    case .rate:
      let seconds = metrics.timeline.length(of: window).inSeconds
      return .success(Observation(value: Double(total) / seconds, samples: chances))
    case .share: return .success(Observation(value: Double(total) / Double(chances), samples: chances))
    default: return .success(Observation(value: Double(total), samples: chances))
    }
  }

  private func judge(_ observation: Observation) -> BudgetResult {
    guard let bound = bound.value(baseline: nil) else { return noData("the bound needs a baseline") }
    let outcome: BudgetOutcome
    var reason: String?
    let reach = observation.isLowerBound ? nil : observation.value
    switch comparison.holds(from: observation.least ?? observation.value, to: reach, bound) {
    case true?: outcome = .hold
    case false?: outcome = .fail
    case nil:
      outcome = .undecided
      reason = "what was lost or still out may have taken longer or shorter, which does not decide it"
    }
    return BudgetResult(
      budget: text, observed: (observation.isLowerBound ? "> " : "") + unit.text(observation.value),
      value: observation.value, unit: unit, isLowerBound: observation.isLowerBound, samples: observation.samples,
      outcome: outcome, reason: reason)
  }

  private func noData(_ reason: String) -> BudgetResult {
    BudgetResult(
      budget: text, observed: "no data", value: nil, unit: unit, samples: 0, outcome: .noData, reason: reason)
  }
}
