import Core

/// What a clause's evidence amounts to.
public enum Verdict: String, CaseIterable, Hashable, Sendable {
  /// There were opportunities to break it, and none did.
  case pass
  /// At least one violation.
  case fail
  /// It was exercised, but the evidence does not decide.
  case inconclusive
  /// There was nothing to judge.
  case notExercised = "not-exercised"
}

/// One clause's verdict over a run, with the worst of its evidence.
public struct ClauseFinding: Equatable, Sendable {
  public var info: ClauseInfo
  public var verdict: Verdict
  /// How often the clause could be judged, violations included.
  public var opportunities: Int
  public var violations: Int
  /// How often it was exercised without being decided: blurred, cut off, or too little.
  public var undecided: Int
  /// The tolerance that was used, for people; empty where there is none.
  public var tolerance: String
  /// The faults that touched what was judged.
  public var faults: FaultSet
  /// Why it is inconclusive, or a figure worth a line; for people.
  public var reason: String?
  public var worst: Evidence?

  public init(
    info: ClauseInfo, verdict: Verdict, opportunities: Int = 0, violations: Int = 0, undecided: Int = 0,
    tolerance: String = "", faults: FaultSet = [], reason: String? = nil, worst: Evidence? = nil
  ) {
    self.info = info
    self.verdict = verdict
    self.opportunities = opportunities
    self.violations = violations
    self.undecided = undecided
    self.tolerance = tolerance
    self.faults = faults
    self.reason = reason
    self.worst = worst
  }

  /// Whether the violation fails the run: a MUST always, a SHOULD where `strict`, a REPORT never.
  public func failsRun(strict: Bool) -> Bool {
    verdict == .fail && (info.level == .must || (info.level == .should && strict))
  }
}
