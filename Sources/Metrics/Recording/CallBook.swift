import Core

/// What became of the calls of a window: every one that was intended is answered in time, late, lost, or still out.
public struct CallBook: Hashable, Sendable {
  public var intended: UInt64
  /// Answered in time, with a result or an error.
  public var answered: UInt64
  /// Answered after the deadline.
  public var late: UInt64
  /// Whose answer will never come.
  public var lost: UInt64
  /// Without an answer when the run ended.
  public var out: UInt64
  /// Of the answered and late ones, those answered with an error.
  public var failed: UInt64

  /// Whether the book adds up. A run whose book does not has a mistake in it and no verdict; while calls are on their
  /// way they are missing here.
  public var isBalanced: Bool { intended == answered + late + lost + out }
}

extension MetricSet {
  /// After how long an answer counts as late, unless the fleet says otherwise.
  public static let defaultDeadline = Duration.seconds(10)

  /// What became of the calls meant to be sent in a window.
  public func calls(in window: Window = .whole) -> CallBook {
    CallBook(
      intended: total(.calls, in: window), answered: total(.callsAnswered, in: window),
      late: total(.callsLate, in: window), lost: total(.callsLost, in: window), out: total(.callsOut, in: window),
      failed: total(.callsFailed, in: window))
  }

  /// A call was meant to be sent. Exactly one of `callAnswered`, `callLost` and `callOut` must follow for it.
  public mutating func callIntended(at intended: Instant) { count(.calls, at: intended) }

  /// It was sent.
  public mutating func callSent(intended: Instant) { count(.callsSent, at: intended) }

  /// It was answered, `ok` or with an error: `call` from the intended send, `call.service` from the actual one. One
  /// that took longer than `deadline` is late, and recorded with its real time all the same.
  public mutating func callAnswered(
    intended: Instant, sent: Instant, at answered: Instant, ok: Bool, deadline: Duration = defaultDeadline
  ) {
    let took = answered - intended
    record(.call, took, intended: intended)
    record(.callService, answered - sent, intended: intended)
    count(took > deadline ? .callsLate : .callsAnswered, at: intended)
    if !ok { count(.callsFailed, at: intended) }
  }

  /// Its answer will never come, as is known at `now`. `sent` is nil for a call that never was.
  public mutating func callLost(intended: Instant, sent: Instant?, at now: Instant) {
    callUnanswered(intended: intended, sent: sent, at: now, .callsLost)
  }

  /// It was still waiting, to be sent or answered, when the run ended.
  public mutating func callOut(intended: Instant, sent: Instant?, at end: Instant) {
    callUnanswered(intended: intended, sent: sent, at: end, .callsOut)
  }

  private mutating func callUnanswered(intended: Instant, sent: Instant?, at now: Instant, _ counter: Counter) {
    recordAtLeast(.call, now - intended, intended: intended)
    if let sent { recordAtLeast(.callService, now - sent, intended: intended) }
    count(counter, at: intended)
  }
}
