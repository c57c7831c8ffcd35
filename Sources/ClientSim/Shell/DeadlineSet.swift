import Core

/// The few times one client waits for, in one timer.
struct DeadlineSet {
  /// In the order in which what is due at one time happens.
  enum Kind: Int, CaseIterable {
    case start, reconnect, ping, retry, workload
    /// A connection that is being closed at the end has had its time.
    case drain
  }

  private var times = InlineTimes()

  /// Six instants without an array's allocation.
  private struct InlineTimes {
    var start = Int64.max
    var reconnect = Int64.max
    var ping = Int64.max
    var retry = Int64.max
    var workload = Int64.max
    var drain = Int64.max
  }

  subscript(kind: Kind) -> Instant? {
    get {
      let time =
        switch kind {
        case .start: times.start
        case .reconnect: times.reconnect
        case .ping: times.ping
        case .retry: times.retry
        case .workload: times.workload
        case .drain: times.drain
        }
      return time == .max ? nil : Instant(nanoseconds: time)
    }
    set {
      let time = newValue?.nanoseconds ?? .max
      switch kind {
      case .start: times.start = time
      case .reconnect: times.reconnect = time
      case .ping: times.ping = time
      case .retry: times.retry = time
      case .workload: times.workload = time
      case .drain: times.drain = time
      }
    }
  }

  /// The earliest of all.
  var next: Instant? {
    let earliest = min(
      min(times.start, times.reconnect), min(times.ping, times.workload), min(times.retry, times.drain))
    return earliest == .max ? nil : Instant(nanoseconds: earliest)
  }

  /// Takes out the first that is due.
  mutating func takeDue(at now: Instant) -> Kind? {
    for kind in Kind.allCases {
      if let time = self[kind], time <= now {
        self[kind] = nil
        return kind
      }
    }
    return nil
  }
}
