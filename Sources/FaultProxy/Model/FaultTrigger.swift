/// When a fault begins, and how long it stays.
public enum FaultTrigger: Hashable, Sendable {
  /// Once, so long after the run's epoch; to the end of the run where `for` is nil.
  case at(Duration, for: Duration?)
  /// Again and again, `every` after it began last.
  case every(Duration, from: Duration, for: Duration?)
  /// On each connection when it is so old; counted from `from` for one that was open before.
  case afterConnect(Duration, from: Duration, for: Duration?)
  /// On each connection behind the nth message that matches, once.
  case onMessage(MessageMatch, nth: Int, direction: FaultDirection, from: Duration, for: Duration?)

  /// When it first begins, or is first waited for, counted from the epoch.
  public var start: Duration {
    switch self {
    case .at(let start, _), .every(_, let start, _), .afterConnect(_, let start, _), .onMessage(_, _, _, let start, _):
      start
    }
  }
  /// How long it stays, each time or on each connection; nil: until faults are lifted.
  public var length: Duration? {
    switch self {
    case .at(_, let length), .every(_, _, let length), .afterConnect(_, _, let length),
      .onMessage(_, _, _, _, let length):
      length
    }
  }
  /// Whether it begins on each connection at a time of its own.
  public var isPerConnection: Bool {
    switch self {
    case .at, .every: false
    case .afterConnect, .onMessage: true
    }
  }
  /// When it first ends, counted from the epoch; nil: when faults are lifted.
  public var end: Duration? { isPerConnection ? nil : length.map { start + $0 } }
  /// After how long it begins again.
  public var period: Duration? { if case .every(let period, _, _) = self { period } else { nil } }
  /// Whether it has to see whole messages.
  var needsMessages: Bool { if case .onMessage = self { true } else { false } }

  /// From when to when it may be on, for budgets; nil: to the end of the run.
  var window: (at: Duration, for: Duration?) {
    switch self {
    case .at(let start, let length): (start, length)
    case .every, .afterConnect, .onMessage: (start, nil)
    }
  }
}
