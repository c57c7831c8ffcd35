import Core
import Judge

/// One clause's finding beside what the scenario wants of it.
public struct ClauseLine: Equatable, Sendable {
  public var finding: ClauseFinding
  /// The scenario requires it: too little data for a verdict costs the gate.
  public var isRequired: Bool
  /// Why a violation does not count; nil when it does.
  public var waived: String?
  /// A violation of a SHOULD fails the run too.
  public var isStrict: Bool

  public init(finding: ClauseFinding, isRequired: Bool, waived: String?, isStrict: Bool = false) {
    self.finding = finding
    self.isRequired = isRequired
    self.waived = waived
    self.isStrict = isStrict
  }

  /// A violation that fails the run.
  public var fails: Bool { waived == nil && finding.failsRun(strict: isStrict) }
  /// A violation that is told and does not fail the run (SHOULD, without `--strict`).
  public var warns: Bool {
    finding.verdict == .fail && waived == nil && finding.info.level == .should && !isStrict
  }
  /// Required, and too little to judge.
  public var lacksData: Bool { isRequired && (finding.verdict == .inconclusive || finding.verdict == .notExercised) }

  /// The names of faults, by their place in the timeline; what has no record is `#` and its place.
  public static func names(of faults: FaultSet, among records: [FaultApplication]) -> [String] {
    faults.ordinals.map { ordinal in records.first { $0.ordinal == ordinal }?.name ?? "#\(ordinal)" }
  }

  /// What it means for the run's exit code; nil where it costs nothing.
  public var reason: ExitReason? {
    let id = finding.info.id
    if fails {
      let times = finding.violations == 1 ? "1 violation" : "\(finding.violations) violations"
      return ExitReason(.failed, "clause \(id) failed: \(finding.info.statement) (\(times))")
    }
    guard lacksData else { return nil }
    let why = finding.reason.map { " (\($0))" } ?? ""
    return ExitReason(.noVerdict, "required clause \(id) is \(finding.verdict.rawValue)\(why)")
  }
}
