import Core

/// What a client is meant to do and when, as a value: the schedule knows nothing of the connection.
public protocol ClientWorkload {
  /// For a client that starts at `start`.
  init(_ context: SessionContext, start: Instant)

  /// When something is due next; nil when nothing is.
  var nextDue: Instant? { get }

  /// Appends what is due at `now`, each with the time it was meant for.
  mutating func takeDue(at now: Instant, into commands: inout [SessionCommand])

  /// A call has its end: a closed loop goes on from here. One that was lost may be lost again at once.
  mutating func finished(call: Int, isLost: Bool, at now: Instant)
}
