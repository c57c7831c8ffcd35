import Core

/// Where one client is in its reconnect policy.
public struct Backoff: Sendable {
  /// A server that asks for more than this is not waited for so long.
  public static let longestRetryAfter = Duration.seconds(3600)

  private let policy: ReconnectPolicy
  private var random: SeededRandom
  private let isFixed: Bool
  /// How many pauses were drawn since the last start over.
  public private(set) var attempt = 0

  public init(_ policy: ReconnectPolicy, seed: UInt64, client: ClientID, behave: Set<Behaviour> = []) {
    self.policy = policy
    random = SeededRandom(seed: seed, purpose: .backoff, subject: UInt64(client.number))
    isFixed = behave.contains(.fixedBackoff)
  }

  /// The next pause; at least what the server asked for.
  public mutating func next(retryAfter: Duration? = nil) -> Duration {
    attempt += 1
    let pause = isFixed ? policy.pause(attempt: 1) : policy.pause(attempt: attempt, &random)
    guard let retryAfter else { return pause }
    return max(pause, min(retryAfter, Self.longestRetryAfter))
  }

  /// The connection was good: the schedule starts over.
  public mutating func startOver() { attempt = 0 }
}
