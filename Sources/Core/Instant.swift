/// A point in a run's time: nanoseconds since the run's epoch, on the machine's monotonic clock or the virtual one.
///
/// Pure code gets an `Instant` as an argument and never asks for one; the event loop owns time.
public struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Nanoseconds since the run's epoch; negative before it.
  public var nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The run's epoch.
  public static let zero = Instant(nanoseconds: 0)
  /// Later than every instant of a run.
  public static let distantFuture = Instant(nanoseconds: .max)

  /// The instant so many seconds after the epoch; for tests and literals.
  public static func seconds(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }
  /// The instant so many milliseconds after the epoch; for tests and literals.
  public static func milliseconds(_ milliseconds: Double) -> Instant {
    Instant(nanoseconds: Int64((milliseconds * 1e6).rounded()))
  }

  /// Seconds since the epoch.
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  @inlinable public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Saturates at both ends of time instead of overflowing, as the other operators do: a marker read from the wire may
  /// hold any number.
  @inlinable public static func + (a: Instant, b: Duration) -> Instant {
    let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.nanoseconds)
    return Instant(nanoseconds: overflow ? (a.nanoseconds < 0 ? .min : .max) : sum)
  }

  @inlinable public static func - (a: Instant, b: Duration) -> Instant {
    let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
    return Instant(nanoseconds: overflow ? (a.nanoseconds < 0 ? .min : .max) : difference)
  }

  @inlinable public static func - (a: Instant, b: Instant) -> Duration {
    let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
    return .nanoseconds(overflow ? (a.nanoseconds < 0 ? .min : .max) : difference)
  }

  @inlinable public static func += (a: inout Instant, b: Duration) { a = a + b }

  public var description: String { "\(seconds) s" }
}

extension Duration {
  /// Whole nanoseconds, saturating at ± 292 years; what timers and histograms count in.
  @inlinable public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (high, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflowed) = high.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }

  /// Seconds as a floating-point number; for arithmetic on ratios and for people.
  @inlinable public var inSeconds: Double { Double(nanoseconds) / 1e9 }

  /// The duration of so many seconds, to the nanosecond; saturating at ± 292 years, and zero for not a number.
  @inlinable public static func fractionalSeconds(_ seconds: Double) -> Duration {
    let nanoseconds = (seconds * 1e9).rounded()
    if let exact = Int64(exactly: nanoseconds) { return .nanoseconds(exact) }
    return nanoseconds.isNaN ? .zero : .nanoseconds(nanoseconds < 0 ? Int64.min : .max)
  }
}
