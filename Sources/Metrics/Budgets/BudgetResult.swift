import Core

/// What became of a budget.
public enum BudgetOutcome: String, Hashable, Sendable, CaseIterable {
  /// It was kept.
  case hold
  /// It was not.
  case fail
  /// There are samples, and they do not decide it: what was still out, or (later) too few for the statistics.
  case undecided
  /// Nothing was there to judge it by; never a pass.
  case noData
}

/// A budget, what was observed, and what became of it.
public struct BudgetResult: Hashable, Sendable {
  /// The budget as it was written.
  public var budget: String
  /// What was observed, for people: `612 ms`, `> 2.00 s`, `3`, `12.5/s`, `no data`.
  public var observed: String
  /// The same in the base of `unit` (nanoseconds, things, bytes, per second, share from 0 to 1); nil without data.
  public var value: Double?
  public var unit: BudgetUnit
  /// The truth is at least `value`.
  public var isLowerBound: Bool
  /// How many samples, or chances of being counted, it rests on.
  public var samples: UInt64
  public var outcome: BudgetOutcome
  /// Why it is undecided or without data, in one sentence; nil where the figures say all.
  public var reason: String?

  public init(
    budget: String, observed: String, value: Double?, unit: BudgetUnit, isLowerBound: Bool = false, samples: UInt64,
    outcome: BudgetOutcome, reason: String? = nil
  ) {
    self.budget = budget
    self.observed = observed
    self.value = value
    self.unit = unit
    self.isLowerBound = isLowerBound
    self.samples = samples
    self.outcome = outcome
    self.reason = reason
  }

  /// What it means for the run's exit code; nil for a budget that held.
  public var exitReason: ExitReason? {
    let tail = reason.map { " (\($0))" } ?? ""
    return switch outcome {
    case .hold: nil
    case .fail: ExitReason(.failed, "budget \"\(budget)\" failed: \(observed)\(tail)")
    case .undecided: ExitReason(.noVerdict, "budget \"\(budget)\" is undecided: \(observed)\(tail)")
    case .noData: ExitReason(.noVerdict, "budget \"\(budget)\" has no data\(tail)")
    }
  }
}

extension BudgetUnit {
  /// A value for people: `612 ms`, `1,234`, `12.5/s`, `3.1 %`, `64.0 KiB`.
  public func text(_ value: Double) -> String {
    switch self {
    case .duration: Quantity.text(.nanoseconds(Int64(Swift.min(Swift.max(value, 0), 9e18))))
    case .number: Self.number(value)
    case .rate: Self.number(value) + "/s"
    case .bytes: Self.size(value)
    case .byteRate: Self.size(value) + "/s"
    case .share: Quantity.fixed(value * 100, decimals: 1) + " %"
    }
  }

  private static func size(_ value: Double) -> String {
    let units = [("GiB", 1_073_741_824.0), ("MiB", 1_048_576.0), ("KiB", 1024.0)]
    guard let (unit, factor) = units.first(where: { value >= $0.1 }) else { return number(value) + " B" }
    return Quantity.fixed(value / factor, decimals: 1) + " " + unit
  }

  /// Whole numbers in groups of three digits, others with up to two decimals.
  private static func number(_ value: Double) -> String {
    let isWhole = value == value.rounded()
    let text = Quantity.fixed(value, decimals: isWhole ? 0 : 2)
    let whole = text.prefix { $0 != "." }
    guard whole.count > 3, whole.allSatisfy({ $0.isASCII && $0.isNumber }) else { return text }
    var grouped = ""
    for (index, digit) in whole.enumerated() {
      if index > 0, (whole.count - index) % 3 == 0 { grouped.append(",") }
      grouped.append(digit)
    }
    return grouped + text.dropFirst(whole.count)
  }
}
