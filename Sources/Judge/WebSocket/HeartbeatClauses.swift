import Core
import Protocols

/// WS-C15: a Phoenix client says that it is there, whatever else it says.
struct HeartbeatIsSent: TallyingClause {
  static let info = ClauseInfo(
    "WS-C15", .client, .connection, "A heartbeat goes out at least once per interval, whatever other traffic flows.")
  static let topics = Topics.near(.otherUp).union([.upgradeResponse, .nearControl])

  var tally = Tally()
  private var states = PerConnection(Instant?.none)
  private var longest = Duration.zero
  private let interval: Duration
  private let limit: Duration

  init(_ options: JudgeOptions) {
    interval = options.heartbeatInterval
    limit = options.heartbeatInterval * 1.1
  }

  var tolerance: String { "gaps of at most \(Quantity.text(interval)) + 10 %" }
  var note: String? { longest > .zero ? "longest gap \(Quantity.text(longest))" : nil }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard message.facts.kind == .palbaseHeartbeat else { return }
    gap(until: observation.time, place, &scene, faults: observation.faults)
    states[place] = observation.time
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasConnection, observation.side == .client else { return }
    switch observation.event {
    case .upgradeResponse(let response) where response.status == 101: states[place] = observation.time
    case .closeFrame:
      gap(until: observation.time, place, &scene, faults: observation.faults, isOpen: true)
      states[place] = nil
    default: break
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    gap(until: time, place, &scene, isOpen: true)
    states.forget(place)
  }

  /// - Parameter isOpen: the gap is not over, so one that is short proves nothing.
  private mutating func gap(
    until time: Instant, _ place: Place, _ scene: inout Scene, faults: FaultSet = [], isOpen: Bool = false
  ) {
    guard let since = states[place] else { return }
    let gap = time - since
    longest = max(longest, gap)
    if gap <= limit { return isOpen ? () : tally.kept(faults: faults) }
    guard scene.windows.clear(.times, since, time) > limit else {
      return tally.doubted("the generator stalled between two heartbeats", at: time)
    }
    violate(
      "no heartbeat for \(Quantity.text(gap)); one is expected every \(Quantity.text(interval))", at: time, place,
      &scene,
      severity: gap.inSeconds, faults: faults)
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    longest = max(longest, other.longest)
  }
}

/// WS-C16: a heartbeat that nobody answers shows a dead connection.
struct UnansweredHeartbeatCloses: TallyingClause {
  static let info = ClauseInfo(
    "WS-C16", .client, .connection, "An unanswered heartbeat closes the connection by the time the next one is due.")
  static let topics = Topics.near(.otherUp, .otherDown)

  var tally = Tally()
  private struct Beat { var sent: Instant; var ref: Int64?; var faults: FaultSet; var isTold = false }
  private var states = PerConnection(Beat?.none)
  private var longest = Duration.zero
  private let limit: Duration

  init(_ options: JudgeOptions) { limit = options.heartbeatInterval * 1.1 }

  var tolerance: String { "closed within \(Quantity.text(limit)) of the heartbeat, the interval + 10 %" }
  var note: String? { longest > .zero ? "closed after up to \(Quantity.text(longest))" : nil }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    let facts = message.facts
    if facts.kind == .palbaseHeartbeatReply {
      guard let beat = states[place] else { return }
      if observation.time - beat.sent > limit { overdue(observation.time, place, &scene) }
      // An answer to a later heartbeat shows that the connection lives.
      if beat.ref == nil || (facts.request ?? .max) >= (beat.ref ?? 0) { states[place] = nil }
    } else if let beat = states[place], observation.time - beat.sent > limit, observation.direction == .up {
      overdue(observation.time, place, &scene)
    }
    guard facts.kind == .palbaseHeartbeat, states[place] == nil else { return }
    states[place] = Beat(sent: observation.time, ref: facts.request, faults: observation.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    defer { states.forget(place) }
    guard let beat = states[place] else { return }
    let view = scene.connections[place.connection].near
    let isOwn = view.ended?.by == .client || view.clientClosed
    let close = isOwn ? view.closing ?? time : time
    let waited = close - beat.sent
    if waited > limit {
      overdue(close, place, &scene)
    } else if isOwn, !cut, waited >= Quiet.patience {
      longest = max(longest, waited)
      tally.kept(faults: beat.faults.union(view.endedFaults))
    } else if waited >= Quiet.patience {
      tally.doubted("a connection with an unanswered heartbeat was ended by others before it was due", at: time)
    }
  }

  /// Told once per heartbeat.
  private mutating func overdue(_ time: Instant, _ place: Place, _ scene: inout Scene) {
    guard let beat = states[place], !beat.isTold else { return }
    states[place]?.isTold = true
    guard scene.windows.clear(.times, beat.sent, time) > limit else {
      return tally.doubted("the generator stalled while an answer was due", at: time)
    }
    violate(
      "the connection is still open \(Quantity.text(time - beat.sent)) after a heartbeat that nobody answered",
      at: time,
      place, &scene, severity: (time - beat.sent).inSeconds, faults: beat.faults)
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    longest = max(longest, other.longest)
  }
}

/// WS-C18: where a schedule is known, the pauses are those of the schedule.
struct PausesFollowSchedule: TallyingClause {
  static let info = ClauseInfo(
    "WS-C18", .client, .client, "Pauses follow the schedule that the client declares, within its band of jitter.")
  static let topics: Topics = [.attempt, .intent]

  var tally = Tally()
  private var runs = PerClient(AttemptRun())
  private let schedule: [Duration]
  private let band: Double
  /// What connecting itself may add.
  private static let slack = Duration.milliseconds(250)

  init(_ options: JudgeOptions) {
    schedule = options.schedule
    band = options.jitterBand
  }

  var tolerance: String {
    let pauses = schedule.map { Quantity.text($0) }.joined(separator: ", ")
    return schedule.isEmpty
      ? "no schedule was given"
      : "\(pauses), then the last again; each ± \(Quantity.fixed(band * 100, decimals: 0)) %, and 250 ms for connecting"
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, !schedule.isEmpty else { return }
    guard case .attempt = observation.event else {
      switch observation.event {
      case .intent(.started), .intent(.restarted), .intent(.stopped): runs[place].forget()
      default: break
      }
      return
    }
    guard let pause = runs[place].attempt(at: observation.time, scene.windows), pause.isOwn else { return }
    guard pause.isSeen, !scene.windows.overlaps(.times, observation.time - pause.length, observation.time) else {
      return tally.doubted("a pause could not be seen, or the generator stalled during it", at: observation.time)
    }
    let base = schedule[min(pause.number, schedule.count) - 1]
    let (least, most) = (base * (1 - band), base * (1 + band) + Self.slack)
    if (least...most).contains(pause.length) { return tally.kept(faults: pause.faults) }
    violate(
      "the pause before attempt \(pause.number) is \(Quantity.text(pause.length)); \(Quantity.text(least)) to "
        + "\(Quantity.text(most)) are expected", at: observation.time, place, &scene,
      severity: abs((pause.length - base).inSeconds) / max(base.inSeconds, 0.001), faults: pause.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    if place.hasClient, !cut { runs[place].end(scene.connections[place.connection], at: time) }
  }
}
