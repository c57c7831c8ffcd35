import Core

/// How long a client waits before each attempt to come back.
public struct ReconnectPolicy: Hashable, Sendable {
  public enum Schedule: Hashable, Sendable {
    /// `base` · `factor`^(attempt − 1), at most `cap`.
    case exponential(base: Duration, factor: Double, cap: Duration)
    case fixed(Duration)
    /// One pause per attempt; the last is repeated. Never empty.
    case list([Duration])
  }

  public enum Jitter: Hashable, Sendable {
    /// Anywhere from nothing to the pause.
    case full
    /// Anywhere from half the pause to the pause.
    case equal
    /// The pause give or take this share of it (0 to 1).
    case share(Double)
    case none
  }

  public var schedule: Schedule
  /// Drawn after the cap, so that clients at the cap stay spread.
  public var jitter: Jitter

  public init(_ schedule: Schedule, jitter: Jitter) {
    self.schedule = schedule
    self.jitter = jitter
  }

  /// What onebase's clients do: 0.5 s, doubled with each attempt up to 30 s, give or take half.
  public static let onebase = ReconnectPolicy(
    .exponential(base: .milliseconds(500), factor: 2, cap: .seconds(30)), jitter: .share(0.5))

  /// What palbase's clients do: 0.5, 1, 2, 5, 10, then every 30 s, each give or take half.
  public static let palbase = ReconnectPolicy(
    .list([.milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10), .seconds(30)]),
    jitter: .share(0.5))

  /// The pause before an attempt, without jitter. Attempts count from 1.
  public func pause(attempt: Int) -> Duration {
    switch schedule {
    case .fixed(let pause): return pause
    case .list(let pauses): return pauses.isEmpty ? .zero : pauses[min(max(attempt, 1), pauses.count) - 1]
    case .exponential(let base, let factor, let cap):
      // By multiplication, so that the powers of whole factors are exact.
      var seconds = base.inSeconds
      let most = cap.inSeconds
      var left = attempt - 1
      while left > 0, seconds < most, factor > 1 {
        seconds *= factor
        left -= 1
      }
      return seconds >= most ? cap : .fractionalSeconds(seconds)
    }
  }

  /// The pause with its jitter drawn.
  public func pause(attempt: Int, _ random: inout SeededRandom) -> Duration {
    let pause = pause(attempt: attempt)
    let seconds = pause.inSeconds
    switch jitter {
    case .none: return pause
    case .full: return .fractionalSeconds(seconds * random.unit())
    case .equal: return .fractionalSeconds(seconds * (0.5 + 0.5 * random.unit()))
    case .share(let share): return .fractionalSeconds(seconds * (1 + share * (2 * random.unit() - 1)))
    }
  }
}
