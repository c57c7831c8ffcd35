import Core

/// One client's attempts as they follow each other: the pause before each, and its number since the last drop.
struct AttemptRun: Sendable {
  /// The pause before an attempt.
  struct Pause: Sendable {
    var length: Duration
    /// From 1: the first attempt after a connection that had opened.
    var number: Int
    /// How long the connection before it had been open; nil where it never opened.
    var openFor: Duration?
    /// Nothing can have hidden an attempt within it.
    var isSeen: Bool
    /// It is not just what a Retry-After asked for, which says nothing of the client's own schedule.
    var isOwn: Bool
    var faults: FaultSet
  }

  private var number = 0
  private var ended: Instant?
  private var openFor: Duration?
  private var told: Duration?
  private var faults: FaultSet = []

  /// An attempt; answers the pause before it, nil where none is known.
  mutating func attempt(at time: Instant, _ windows: FaultWindows) -> Pause? {
    guard let ended else { return nil }
    number += 1
    self.ended = nil
    // An attempt that was seen while a listener was refusing shows a listener that accepts.
    let isSeen =
      !windows.overlaps(.attempts, ended, time) || windows.overlaps(.attempts, time, time)
      || (openFor == nil && windows.overlaps(.attempts, ended, ended))
    let length = time - ended
    let isOwn = told.map { length > $0 * 1.05 + .milliseconds(50) || length < $0 * 0.95 - .milliseconds(50) } ?? true
    return Pause(
      length: length, number: number, openFor: openFor, isSeen: isSeen, isOwn: isOwn, faults: faults)
  }

  /// A connection or an attempt of the client is over. What follows its own clean close is no pause.
  mutating func end(_ connection: Scene.ConnectionState, at time: Instant) {
    guard Departure(connection, at: time) != .ownClose else { return forget() }
    openFor = connection.near.opened.map { time - $0 }
    if openFor != nil { number = 0 }
    ended = time
    told = connection.near.retryAfter
    faults = connection.near.endedFaults
  }

  /// What comes next follows from no drop.
  mutating func forget() { self = AttemptRun() }
}
