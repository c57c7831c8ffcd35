/// What the process tells its caller when it ends.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
  /// Every budget held, no clause failed, every required clause passed.
  case passed = 0
  /// A budget or a clause failed.
  case failed = 1
  /// Bad usage, or a scenario with mistakes; nothing was run.
  case usage = 2
  /// No verdict: target unreachable, generator saturated, a budget or a required clause without enough data.
  case noVerdict = 3
  /// Interrupted; the report of what ran is written.
  case interrupted = 130
}

/// One reason why a run did not simply pass, as the summary lists it.
public struct ExitReason: Hashable, Sendable {
  /// What kind of reason it is, in order of precedence: an earlier kind decides over a later one.
  public enum Kind: Int, Hashable, Sendable, CaseIterable {
    /// Bad usage or a scenario with mistakes (2).
    case usage
    /// The run was interrupted (130).
    case interrupted
    /// The generator was too late for its figures to be trusted, so that not even a failure counts (3).
    case invalidGenerator
    /// A budget or a clause failed (1).
    case failed
    /// Too little data for a verdict, or a target that could not be reached (3).
    case noVerdict

    /// The code a run ends with when this is what decides.
    public var code: ExitCode {
      switch self {
      case .usage: .usage
      case .interrupted: .interrupted
      case .invalidGenerator, .noVerdict: .noVerdict
      case .failed: .failed
      }
    }
  }

  public var kind: Kind
  /// One sentence for people: what, where, and how to mend it.
  public var text: String

  public init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}

/// Decides with which code a run ends: 2, 130, 3 for an invalid generator, 1, 3, 0, in this order of precedence.
public enum ExitDecision {
  /// The code, and all reasons: those that decide first, and within a kind in the order given.
  public static func decide(_ reasons: [ExitReason]) -> (code: ExitCode, reasons: [ExitReason]) {
    let ordered = ExitReason.Kind.allCases.flatMap { kind in reasons.filter { $0.kind == kind } }
    return (ordered.first?.kind.code ?? .passed, ordered)
  }
}
