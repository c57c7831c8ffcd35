import Core
import JSON
import Judge
import Reporting

/// Writes down what happens in a run for people who look for the cause: faults, what becomes of clients' connections,
/// lost calls, errors, violations. Bounded: each kind has its cap in the log, and what is over it is counted.
struct Journal {
  private(set) var log: EventLog
  /// What a person calls a client: `writers-17`.
  private let label: (ClientID) -> String

  init(loop: Int, label: @escaping (ClientID) -> String) {
    log = EventLog(loop: loop)
    self.label = label
  }

  mutating func add(_ kind: String, at time: Instant, _ fields: JSONObject) { log.add(kind, at: time, fields) }

  /// Takes what of an observation changes a client's state; messages are the judge's.
  mutating func take(_ observation: Observation) {
    switch observation.event {
    case .intent(let intent): take(intent, observation)
    case .upgradeResponse(let response) where observation.side == .client && response.status == 101:
      state(observation, "connected", ["connection": .string(observation.connection.description)])
    case .upgradeResponse(let response) where observation.side == .client:
      state(observation, "refused", ["status": .integer(Int64(response.status))])
    case .ended(let ending) where observation.side == .client:
      var fields: JSONObject = ["connection": .string(observation.connection.description)]
      fields["how"] = .string(ending.how == .fin ? "fin" : ending.how == .reset ? "reset" : "timeout")
      fields["by"] = .string(ending.by == .client ? "client" : ending.by == .server ? "server" : "proxy")
      state(observation, "disconnected", fields)
    case .upstreamFailed(let reason): state(observation, "upstream failed", ["reason": .string(reason)])
    default: break
    }
  }

  private mutating func take(_ intent: Intent, _ observation: Observation) {
    switch intent {
    case .restarted: state(observation, "restarted", [:])
    case .backoff(let attempt, let pause):
      state(observation, "reconnecting", ["attempt": .integer(Int64(attempt)), "pause": .number(pause.inSeconds)])
    case .closing(let reason): state(observation, "closing", ["reason": .string(reason)])
    case .callLost(let path, let marker):
      var fields: JSONObject = [:]
      fields["client"] = observation.client.map { .string(label($0)) }
      fields["path"] = .string(path)
      fields["marker"] = marker.map { .string($0.description) }
      fields["warning"] = "the call was sent and its answer will never come; it is not sent again"
      log.add("lost-call", at: observation.time, fields)
    default: break
    }
  }

  private mutating func state(_ observation: Observation, _ state: String, _ more: JSONObject) {
    var fields: JSONObject = [:]
    fields["client"] = observation.client.map { .string(label($0)) }
    fields["state"] = .string(state)
    for member in more.members { fields[member.key] = member.value }
    log.add("state", at: observation.time, fields)
  }

  /// An error that a peer or the network caused, under its name.
  mutating func error(_ name: String, of client: ClientID, at time: Instant) {
    log.add("error", at: time, ["client": .string(label(client)), "error": .string(name)])
  }

  /// Whom a fault touched over its whole life, as ranges of client numbers.
  mutating func touched(_ fault: FaultApplication, at time: Instant) {
    log.add(
      "fault", at: time,
      [
        "name": .string(fault.name), "fault": .string(fault.kind), "edge": "touched",
        "clients": .array(fault.clients.map { .string("\($0.lowerBound)-\($0.upperBound)") }),
        "connections": .integer(Int64(RangeList.count(fault.connections))),
        "applications": .integer(Int64(clamping: fault.applications)),
      ])
  }

  mutating func violations(_ judge: Judge) {
    for violation in judge.violations {
      let evidence = violation.evidence
      var fields: JSONObject = ["clause": .string(violation.clause)]
      fields["client"] = evidence.client.map { .string(label($0)) }
      fields["connection"] = evidence.connection.map { .string($0.description) }
      fields["text"] = .string(evidence.text)
      fields["frames"] = .array(evidence.frames.map(SummaryJSON.frame))
      log.add("violation", at: evidence.time, fields)
    }
    log.omit("violation", UInt64(judge.omittedViolations))
  }
}
