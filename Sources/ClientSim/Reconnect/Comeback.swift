import Core
import Metrics

/// A client's attempts to connect and to come back, whatever it speaks: the pauses between them, and what is measured.
struct Comeback {
  private var backoff: Backoff
  private let wantsIntents: Bool
  /// When the present or last attempt began.
  private(set) var began = Instant.zero
  /// The end of the last attempt or connection: what pauses are counted from.
  private var ended = Instant.zero
  /// When its last connection ended, and how many attempts there were since.
  private var lastDrop: Instant?
  private var attempts = 0
  /// Whether a socket was ever open, so that opening again is a reconnect.
  private(set) var hasBeenOpen = false

  init(_ context: SessionContext) {
    backoff = Backoff(context.plan.reconnect, seed: context.seed, client: context.client, behave: context.behave)
    wantsIntents = context.wantsIntents
  }

  /// The next pause is the policy's first again.
  mutating func startOver() { backoff.startOver() }

  /// What was is over by the client's own will: opening again is no reconnect.
  mutating func forget() {
    backoff.startOver()
    hasBeenOpen = false
    lastDrop = nil
    attempts = 0
  }

  mutating func connect(at now: Instant, _ actions: inout [SessionAction]) {
    began = now
    attempts += 1
    actions.append(.measure(.attempt(number: backoff.attempt)))
    if backoff.attempt > 0 {
      actions.append(.measure(.backoffObserved(attempt: backoff.attempt, now - ended, from: ended)))
      if let lastDrop { actions.append(.measure(.attemptAfterDrop(number: backoff.attempt, drop: lastDrop))) }
    }
    actions.append(.connect)
  }

  mutating func opened(at now: Instant, _ actions: inout [SessionAction]) {
    actions.append(.measure(.took(.connect, now - began, intended: began)))
    if hasBeenOpen { actions.append(.measure(.reconnected(attempts: attempts, drop: lastDrop ?? now))) }
    hasBeenOpen = true
    attempts = 0
  }

  /// An open connection has ended, asked for or not.
  mutating func closed(at now: Instant) { lastDrop = now }

  /// Waits before the next attempt; a server that refused may have asked for at least so long.
  mutating func pause(after failure: ConnectFailure? = nil, at now: Instant, _ actions: inout [SessionAction]) {
    var retryAfter: Duration?
    if let failure {
      actions.append(.note(failure.description))
      if case .refused(_, let asked) = failure {
        actions.append(.measure(.count(.refusals)))
        retryAfter = asked
      }
    }
    ended = now
    let pause = backoff.next(retryAfter: retryAfter)
    actions.append(.measure(.backoffScheduled(attempt: backoff.attempt, pause, from: now)))
    if wantsIntents { actions.append(.intent(.backoff(attempt: backoff.attempt, pause: pause))) }
    actions.append(.arm(.reconnect, at: now + pause))
  }
}
