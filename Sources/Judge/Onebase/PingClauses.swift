import Core
import Protocols

/// OB-C3: a connected client is heard at least once a minute.
struct ClientPings: TallyingClause {
  static let info = ClauseInfo("OB-C3", .client, .connection, "A connected client pings at least once a minute.")
  static let topics = Topics.everythingSent.union([.nearControl, .upgradeResponse])

  var tally = Tally()
  private struct State {
    /// The last complete client frame, or the opening.
    var last: Instant?
    /// Since when the connection is counted towards the next opportunity.
    var anchor: Instant?
    /// Server pings that no pong has answered: those a pong may answer.
    var serverPings = 0
    var lastPing: Instant?
    var isClosing = false
  }
  private var states = PerConnection(State())
  private let limit: Duration
  private let interval: Duration
  private var longest = Duration.zero
  private var longestPings = Duration.zero

  init(_ options: JudgeOptions) {
    interval = options.pingInterval
    limit = options.pingInterval * 1.05
  }

  var tolerance: String { "\(Quantity.text(interval)) + 5 % between client frames" }
  var note: String? {
    guard longest > .zero else { return nil }
    let pings = longestPings > .zero ? "longest ping interval \(Quantity.text(longestPings)), " : ""
    return pings + "longest gap between client frames \(Quantity.text(longest))"
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    frame(observation, place, &scene)
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasConnection else { return }
    switch (observation.event, observation.direction) {
    case (.upgradeResponse(let response), _):
      if response.status == 101, observation.side == .client { start(observation.time, place) }
    case (.ping, .down): states[place].serverPings += 1
    case (.ping, .up):
      if let last = states[place].lastPing { longestPings = max(longestPings, observation.time - last) }
      states[place].lastPing = observation.time
      frame(observation, place, &scene)
    case (.pong, .up):
      guard states[place].serverPings > 0 else { return }
      states[place].serverPings -= 1
      frame(observation, place, &scene)
    case (.closeFrame, .up):
      frame(observation, place, &scene)
      states[place].isClosing = true
    case (.closeFrame, .down):
      gap(until: observation.time, place, &scene, faults: observation.faults)
      states[place].isClosing = true
    default: break
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    gap(until: time, place, &scene)
    states.forget(place)
  }

  private mutating func start(_ time: Instant, _ place: Place) {
    states[place].last = time
    states[place].anchor = time
  }

  private mutating func frame(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasConnection else { return }
    if states[place].last == nil { start(observation.time, place) }
    gap(until: observation.time, place, &scene, faults: observation.faults)
    states[place].last = observation.time
  }

  /// Judges the silence that ends at `time`.
  private mutating func gap(until time: Instant, _ place: Place, _ scene: inout Scene, faults: FaultSet = []) {
    let state = states[place]
    guard !state.isClosing, let last = state.last, let anchor = state.anchor else { return }
    longest = max(longest, time - last)
    if time - last > limit {
      states[place].anchor = time
      states[place].last = time
      if scene.windows.clear(.messages, last, time) > limit {
        violate(
          "no client frame for \(Quantity.text(time - last)); at most \(Quantity.text(limit)) is expected", at: time,
          place, &scene, severity: (time - last).inSeconds, faults: faults)
      } else {
        tally.doubted("a fault or a stall lay over a long silence", at: time)
      }
    } else if time - anchor >= limit {
      // Only a connection that has been up for that long could have been silent for that long.
      states[place].anchor = time
      tally.kept(faults: faults)
    }
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    longest = max(longest, other.longest)
    longestPings = max(longestPings, other.longestPings)
  }
}

/// OB-S1: a server answers pings.
struct PingIsAnswered: TallyingClause {
  static let info = ClauseInfo("OB-S1", .server, .connection, "Ping frames are answered.")
  static let topics: Topics = [.farControl]

  var tally = Tally()
  private struct Ping { var payload: UInt64; var sent: Instant }
  private var states = PerConnection([Ping]())
  private let bound: Duration
  /// How many unanswered pings of a connection are remembered; the oldest are judged first.
  private static let capacity = 16

  init(_ options: JudgeOptions) { bound = options.replyBound }

  var tolerance: String { "pong with the same payload within \(Quantity.text(bound)) of forwarding" }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasConnection else { return }
    switch (observation.event, observation.direction) {
    case (.ping(let payload), .up):
      expire(before: observation.time, place, &scene)
      if states[place].count < Self.capacity {
        states[place].append(Ping(payload: StableHash.of(payload), sent: observation.time))
      }
    case (.pong(let payload), .down):
      let hash = StableHash.of(payload)
      // One pong may answer several pings: RFC 6455 5.5.3 lets an endpoint answer only the latest.
      guard let index = states[place].lastIndex(where: { $0.payload == hash }) else { return }
      for ping in states[place][...index] {
        judge(ping, answered: observation.time, place, &scene, faults: observation.faults)
      }
      states[place].removeFirst(index + 1)
    default: break
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    expire(before: time, place, &scene)
    for _ in states[place] { tally.doubted("the connection ended before a pong was due", at: time) }
    states.forget(place)
  }

  private mutating func judge(
    _ ping: Ping, answered: Instant, _ place: Place, _ scene: inout Scene, faults: FaultSet
  ) {
    let waited = answered - ping.sent
    if waited <= bound { return tally.kept(faults: faults) }
    miss(waited, "a pong came after", ping.sent, answered, place, &scene)
  }

  /// Judges the pings whose pong is overdue at `time`.
  private mutating func expire(before time: Instant, _ place: Place, _ scene: inout Scene) {
    while let ping = states[place].first, time - ping.sent > bound {
      states[place].removeFirst()
      miss(time - ping.sent, "no pong for", ping.sent, time, place, &scene)
    }
  }

  private mutating func miss(
    _ waited: Duration, _ words: String, _ from: Instant, _ to: Instant, _ place: Place, _ scene: inout Scene
  ) {
    let view = scene.connections[place.connection].far
    if view.isBroken || view.clientClosed || view.serverClosed {
      return tally.doubted("the connection was closing or broken when a pong was due", at: to)
    }
    guard scene.windows.clear(.messages, from, to) > bound else {
      return tally.doubted("a fault or a stall lay over the wait for a pong", at: to)
    }
    violate(
      "\(words) \(Quantity.text(waited)) after a ping was forwarded; at most \(Quantity.text(bound)) is expected",
      at: to, place, &scene, severity: waited.inSeconds)
  }
}
