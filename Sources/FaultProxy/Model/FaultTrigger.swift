/// When a fault begins, and how long it stays.
///
/// Triggers that come later (every so often, so long after connect, on the nth message) are further cases here.
public enum FaultTrigger: Hashable, Sendable {
  /// Once, so long after the run's epoch; to the end of the run where `for` is nil.
  case at(Duration, for: Duration?)

  /// When it first begins, counted from the epoch.
  public var start: Duration {
    switch self {
    case .at(let start, _): start
    }
  }
  /// How long it stays; nil: until faults are lifted.
  public var length: Duration? {
    switch self {
    case .at(_, let length): length
    }
  }
  /// When it ends, counted from the epoch; nil: when faults are lifted.
  public var end: Duration? { length.map { start + $0 } }
}
