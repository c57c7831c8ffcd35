import Core

/// The partial result of a clause: counts, the first reason for not deciding, and the worst violation. Merging is
/// associative and commutative.
public struct Tally: Hashable, Sendable {
  public private(set) var opportunities = 0
  public private(set) var violations = 0
  public private(set) var undecided = 0
  public private(set) var faults: FaultSet = []
  public private(set) var worst: Evidence?
  private var doubt: Doubt?

  /// Why something was not decided, and when; the earliest is kept.
  private struct Doubt: Hashable, Comparable {
    var time: Instant
    var reason: String
    static func < (a: Doubt, b: Doubt) -> Bool { (a.time, a.reason) < (b.time, b.reason) }
  }

  public init() {}

  /// An opportunity that was kept.
  @inline(__always)
  public mutating func kept(_ count: Int = 1, faults: FaultSet = []) {
    opportunities += count
    self.faults.formUnion(faults)
  }

  /// An opportunity that was not kept.
  public mutating func violated(_ evidence: Evidence, faults: FaultSet = []) {
    opportunities += 1
    violations += 1
    self.faults.formUnion(faults)
    worst = worst.map { max($0, evidence) } ?? evidence
  }

  /// It was exercised, but this does not decide.
  public mutating func doubted(_ reason: @autoclosure () -> String, at time: Instant) {
    undecided += 1
    if let doubt, doubt.time < time { return }
    let new = Doubt(time: time, reason: reason())
    doubt = doubt.map { min($0, new) } ?? new
  }

  public mutating func merge(_ other: Tally) {
    opportunities += other.opportunities
    violations += other.violations
    undecided += other.undecided
    faults.formUnion(other.faults)
    worst = [worst, other.worst].compactMap { $0 }.max()
    doubt = [doubt, other.doubt].compactMap { $0 }.min()
  }

  public var verdict: Verdict {
    if violations > 0 { return .fail }
    if opportunities > 0 { return .pass }
    return undecided > 0 ? .inconclusive : .notExercised
  }

  public func finding(_ info: ClauseInfo, tolerance: String, note: String? = nil) -> ClauseFinding {
    ClauseFinding(
      info: info, verdict: verdict, opportunities: opportunities, violations: violations, undecided: undecided,
      tolerance: tolerance, faults: faults, reason: verdict == .inconclusive ? doubt?.reason : note, worst: worst)
  }
}
