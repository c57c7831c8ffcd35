import Core

/// Counts events against a limit a second, in windows that begin with their first event; small, for there are
/// thousands.
struct RateWindow {
  private var start: Instant = Instant(nanoseconds: .min)
  private var count: Int32 = 0

  /// Whether one more event stays within the limit.
  func hasRoom(_ limit: Int, at now: Instant) -> Bool { now - start >= .seconds(1) ? limit > 0 : Int(count) < limit }

  /// Counts one event.
  mutating func take(at now: Instant) {
    if now - start >= .seconds(1) {
      start = now
      count = 0
    }
    if count < .max { count += 1 }
  }

  /// Counts one event if it stays within the limit, and tells whether it does.
  mutating func admits(_ limit: Int, at now: Instant) -> Bool {
    guard hasRoom(limit, at: now) else { return false }
    take(at: now)
    return true
  }
}
