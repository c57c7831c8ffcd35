import Core

/// How well a fleet spreads its attempts after a common drop: attempts per 100 ms, each counted from its own
/// connection's drop, so that a drop that itself took a while does not pass for dispersion.
public struct Dispersion: Hashable, Sendable {
  /// The width of a window of time.
  public static let width = Duration.milliseconds(100)
  /// How many windows are kept; later attempts are counted in `beyond`.
  public static let mostWindows = 600

  /// Attempts per window from the drop on, up to the last window that has one.
  public private(set) var attempts: [UInt64] = []
  /// Attempts later than 60 s after the drop.
  public private(set) var beyond: UInt64 = 0

  public init() {}

  /// From stored numbers; windows beyond the last are added to `beyond`.
  public init(attempts: [UInt64], beyond: UInt64) {
    self.attempts = Array(attempts.prefix(Self.mostWindows))
    self.beyond = attempts.dropFirst(Self.mostWindows).reduce(beyond) { $0.addingClamped($1) }
    while self.attempts.last == 0 { self.attempts.removeLast() }
  }

  /// Counts an attempt that came so long after its connection's drop; a negative time counts as none.
  public mutating func record(sinceDrop: Duration) {
    let window = max(0, sinceDrop.nanoseconds) / Self.width.nanoseconds
    guard window < Int64(Self.mostWindows) else {
      beyond = beyond.addingClamped(1)
      return
    }
    grow(to: Int(window) + 1)
    attempts[Int(window)] = attempts[Int(window)].addingClamped(1)
  }

  /// Adds the attempts of another loop or process. Exact, associative and commutative.
  public mutating func merge(_ other: Dispersion) {
    grow(to: other.attempts.count)
    for (window, count) in other.attempts.enumerated() { attempts[window] = attempts[window].addingClamped(count) }
    beyond = beyond.addingClamped(other.beyond)
  }

  private mutating func grow(to count: Int) {
    if count > attempts.count { attempts += Array(repeating: 0, count: count - attempts.count) }
  }

  /// How many attempts there were.
  public var total: UInt64 { attempts.reduce(beyond) { $0.addingClamped($1) } }

  /// Variance of the attempts per window over their mean, from the drop to the last window that has one: 1 when
  /// attempts come independently at an even rate, the number of attempts when all come in one of many windows. Nil
  /// without attempts in a window.
  public var index: Double? {
    guard !attempts.isEmpty else { return nil }
    let windows = Double(attempts.count)
    let mean = attempts.reduce(0) { $0 + Double($1) } / windows
    let variance = attempts.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / windows
    return variance / mean
  }

  /// The fullest window: where it begins after the drop, how many attempts it holds, and their share of all (0 to 1).
  /// Of equally full ones the first; nil without attempts in a window.
  public var busiest: (from: Duration, attempts: UInt64, share: Double)? {
    guard let most = attempts.max(), let window = attempts.firstIndex(of: most) else { return nil }
    return (Self.width * window, most, Double(most) / Double(total))
  }

  /// The share (0 to 1) of all attempts that came in the busiest window; nil without attempts in a window.
  public var busiestShare: Double? { busiest?.share }
}
