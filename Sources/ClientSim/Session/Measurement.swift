import Core
import Metrics

/// One thing a session measured or counted; the shell's recorder knows which figures it belongs to.
public enum Measurement: Hashable, Sendable {
  case took(Metric, Duration, intended: Instant)
  /// Was lost, or is still out, after having waited this long.
  case atLeast(Metric, Duration, intended: Instant)
  case count(Counter)

  // Calls: each is intended once, and has one of the three ends.
  case callIntended(Instant)
  case callSent(intended: Instant)
  case callAnswered(intended: Instant, sent: Instant, ok: Bool, deadline: Duration)
  case callLost(intended: Instant, sent: Instant?)
  case callOut(intended: Instant, sent: Instant?)

  // Connections.
  /// An attempt to connect begins. `number` counts from 1 after each drop or failed start; 0 is a client's very first.
  case attempt(number: Int)
  /// An open connection ended without the client asking.
  case dropped
  /// A pause before an attempt was drawn.
  case backoffScheduled(attempt: Int, Duration, from: Instant)
  /// The attempt came this long after the drop or failure at `from`.
  case backoffObserved(attempt: Int, Duration, from: Instant)
  /// How long after its connection's own drop an attempt came.
  case attemptAfterDrop(number: Int, drop: Instant)
  /// The socket is open again after it had been open; it took so many attempts.
  case reconnected(attempts: Int, drop: Instant)
  /// Everything wanted is live; or something is not any more.
  case live
  case notLive

  // Propagation. Subscriptions are named by their position within the client and their key's hash.
  case subscriptionLive(Int, key: UInt64)
  case subscriptionDown(Int, key: UInt64)
  /// A marker of another client was seen in an update for the first time.
  case shown(Int, key: UInt64, Marker)
  /// A mutation with a marker was sent, which subscriptions with these keys are to show.
  case mutationSent(Marker, seenBy: [UInt64])
  /// The server confirmed it.
  case mutationConfirmed(Marker, seenBy: [UInt64])
}
