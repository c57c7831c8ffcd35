import Core
import Network

/// What becomes of a new connection.
extension Proxy {
  func accepted(_ stream: ByteStream) {
    let id = ConnectionID(loop: UInt8(truncatingIfNeeded: configuration.loopIndex), ordinal: nextOrdinal)
    nextOrdinal += 1
    counts.accepted += 1
    let client = expected.isEmpty ? nil : expected.removeValue(forKey: stream.peer)
    let subject = FaultTarget.Subject(connection: id, client: client, host: needsHosts ? stream.peer.host : "")
    var attempt: UInt64 = 0
    if let client {
      attempt = attempts[client] ?? 0
      attempts[client] = attempt + 1
    }
    let (decision, run) = decide(subject, attempt: attempt)
    emit(
      Observation(
        time: loop.now, connection: id, client: client, side: .client, direction: .up, faults: faults(on: subject),
        event: .attempt))
    if let run { touch(run, subject) }
    if decision == .reset {
      emit(
        Observation(
          time: loop.now, connection: id, client: client, side: .client, direction: .down, faults: faults(on: subject),
          event: .ended(Ending(.reset, by: .proxy))))
      return stream.reset()
    }
    let relay = Relay(self, stream, subject, attempt: attempt)
    add(relay)
    relay.begin(decision, by: run)
  }

  /// The first fault that does not let it proceed decides.
  func decide(_ subject: FaultTarget.Subject, attempt: UInt64) -> (AcceptDecision, FaultRun?) {
    for run in active where run.entry.hooks.contains(.accept) {
      guard run.entry.hits(subject, seed: configuration.seed) else { continue }
      let decision = run.entry.fault.accept(scope(run, subject, attempt: attempt))
      if decision != .proceed { return (decision, run) }
    }
    return (.proceed, nil)
  }

  /// The faults that are on for a connection.
  func faults(on subject: FaultTarget.Subject) -> FaultSet {
    var set: FaultSet = []
    for run in active where !run.entry.trigger.isPerConnection && run.entry.hits(subject, seed: configuration.seed) {
      set.formUnion(run.entry.faultSet)
    }
    return set
  }

  /// A fault has touched a connection for the first time.
  func touch(_ run: FaultRun, _ subject: FaultTarget.Subject, count: Int = 1) {
    run.acted(count)
    run.touched(subject)
    emit(
      Observation(
        time: loop.now, connection: subject.connection, client: subject.client, side: .client, direction: .down,
        source: .fault, faults: run.entry.faultSet,
        event: .fault(FaultEdge(ordinal: run.entry.ordinal, edge: .applied))))
  }
}
