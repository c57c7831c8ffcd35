import Core
import Protocols

/// Reads one loop's observations, clause by clause, and gives the verdicts; judges of several loops merge.
///
/// Each observation goes only to the clauses that asked for its topic. Connections are looked up once.
public struct Judge: Sendable {
  public let `protocol`: ProtocolName
  private var scene: Scene
  private var clauses: [any Clause]
  /// For every topic's bit the indices of the clauses that asked for it.
  private let listeners: [[Int]]
  private let nearClauses: [Int]
  private let farClauses: [Int]
  private var places: [ConnectionID: Int] = [:]
  /// The connection looked up last: what crosses the proxy is often seen at both its sides in a row.
  private var latest = Place.nowhere
  private var clientPlaces: [ClientID: Int] = [:]
  /// Places of connections that are over, used again last first.
  private var free: [Int] = []
  private var isFinished = false
  /// Whether it matters how long a connection was silent for its client.
  private let hearsSilence: Bool

  /// - Parameter clauses: the clauses to judge by; all that the protocol has where nil.
  public init(protocol: ProtocolName, options: JudgeOptions = JudgeOptions(), clauses: [any Clause.Type]? = nil) {
    self.protocol = `protocol`
    let types = clauses ?? Self.clauseTypes(for: `protocol`)
    scene = Scene(options)
    hearsSilence = `protocol` == .websocket || `protocol` == .phoenix
    self.clauses = types.map { $0.init(options) }
    listeners = (0..<64).map { bit in
      types.indices.filter { types[$0].topics.rawValue & (1 << UInt64(bit)) != 0 }
    }
    nearClauses = types.indices.filter { types[$0].info.side == .client }
    farClauses = types.indices.filter { types[$0].info.side == .server }
  }

  /// What can be judged of a protocol, in the catalogue's order.
  public static func catalogue(for protocol: ProtocolName) -> [ClauseInfo] {
    clauseTypes(for: `protocol`).map { $0.info }
  }

  /// One finding per clause, in the catalogue's order.
  public var findings: [ClauseFinding] { clauses.map { $0.finding() } }

  /// The earliest violations of each clause, by time.
  public var violations: [ViolationRecord] {
    var records = scene.violations.records
    // A clause that only the whole of its evidence decides has logged nothing on the way.
    for finding in findings {
      guard finding.verdict == .fail, let worst = finding.worst,
        !records.contains(where: { $0.clause == finding.info.id })
      else { continue }
      records.append(ViolationRecord(clause: finding.info.id, evidence: worst))
    }
    return records.sorted()
  }
  /// How many violations are not among them.
  public var omittedViolations: Int { scene.violations.omitted }
  public func omittedViolations(of clause: String) -> Int { scene.violations.omitted(clause) }

  /// Takes one observation in. Observations of one connection come in order of time.
  public mutating func observe(_ observation: Observation) {
    guard observation.source == .wire else { return observeBeside(observation) }
    switch observation.event {
    case .message(let message): observeMessage(message, observation)
    case .attempt:
      let place = accept(observation)
      tell(0, observation, place)
    case .upstreamConnected:
      let place = self.place(observation)
      if place.hasConnection { scene.connections[place.connection].isUpstream = true }
      tell(1, observation, place)
    case .upstreamFailed: tell(1, observation, place(observation))
    case .upgradeRequest: tell(2, observation, place(observation))
    case .upgradeResponse(let response):
      let place = self.place(observation)
      tell(3, observation, place)
      if response.status == 101 {
        open(place, observation)
      } else if let wait = HTTPDate.wait(response.headers), wait < HTTPDate.longestWait {
        change(place, observation.side) { $0.retryAfter = .fractionalSeconds(wait) }
      }
    case .ping, .pong:
      let place = self.place(observation)
      tell(observation.side == .client ? 9 : 10, observation, place)
      if hearsSilence { hear(observation, place) }
      change(place, observation.side) { $0.frame(at: observation.time) }
    case .closeFrame(let code, _):
      let place = self.place(observation)
      tell(observation.side == .client ? 9 : 10, observation, place)
      if hearsSilence { hear(observation, place) }
      change(place, observation.side) { $0.close(observation.direction, code: code, at: observation.time) }
    case .violation:
      let place = self.place(observation)
      tell(11, observation, place)
      change(place, observation.side) { $0.isBroken = true }
    case .ended(let ending): end(ending, observation)
    case .intent, .http, .audit, .fault, .run: observeBeside(observation)
    }
  }

  /// The run is over: what is still open is closed as cut off. Findings stand from here on.
  public mutating func finish(at time: Instant) {
    guard !isFinished else { return }
    isFinished = true
    let end = scene.runEnded.map { min($0, time) } ?? time
    scene.runEnded = end
    for index in scene.connections.indices where scene.connections[index].isLive {
      let place = scene.place(index)
      if scene.connections[index].near.ended == nil { tellEnded(nearClauses, place, at: end) }
      if scene.connections[index].far.ended == nil { tellEnded(farClauses, place, at: end) }
    }
    for index in clauses.indices { clauses[index].finish(at: end, &scene) }
  }

  /// Adds what another loop's judge found; both have finished. Associative.
  public mutating func merge(_ other: Judge) {
    for (index, clause) in other.clauses.enumerated() where index < clauses.count { clauses[index].mergeSame(clause) }
    scene.violations.merge(other.scene.violations)
  }
}

// MARK: - Messages

extension Judge {
  private mutating func observeMessage(_ message: WireMessage, _ observation: Observation) {
    let place = self.place(observation)
    guard place.hasConnection else { return }
    let isSteady = isSteady(message.facts, observation.side, place)
    let topic =
      isSteady
      ? Topics.index(observation.side, .steadyUpdate)
      : Topics.index(observation.side, MessageClass(message.facts.kind, observation.direction))
    // Each message is kept once, as it came in: at the client's side on its way up, at the server's on its way down.
    if (observation.side == .client) == (observation.direction == .up) || observation.disposition == .injected {
      if scene.violations.isWaiting {
        scene.violations.follow(message, at: observation.time, observation.direction, observation.connection)
      }
      scene.connections[place.connection].tail.keep(message, at: observation.time, observation.direction)
    }
    scene.forgetFingerprints()
    for index in listeners[topic] { clauses[index].observe(message, observation, place, &scene) }
    if hearsSilence { hear(observation, place, message.facts.kind) }
    if isSteady {
      change(place, observation.side) { $0.frame(at: observation.time) }
    } else if observation.side == .client {
      if scene.connections[place.connection].near.opened == nil { open(place, observation) }
      scene.connections[place.connection].near.take(
        message, at: observation.time, side: .client, direction: observation.direction)
    } else {
      let known = message.facts.kind == .onebaseCall ? nearCall(place, message.facts.request) : nil
      scene.connections[place.connection].far.take(
        message, at: observation.time, side: .upstream, direction: observation.direction, known: known)
    }
  }

  /// Whether a message is an update that changes nothing in what the scene remembers.
  @inline(__always)
  private func isSteady(_ facts: MessageFacts, _ side: Side, _ place: Place) -> Bool {
    guard facts.kind == .onebaseUpdate, facts.flags.contains(.ok) else { return false }
    return side == .client
      ? scene.connections[place.connection].near.isSteady(facts.id)
      : scene.connections[place.connection].far.isSteady(facts.id)
  }

  private func nearCall(_ place: Place, _ request: Int64?) -> ConnectionView.Call? {
    let index = scene.connections[place.connection].near.call(request)
    return index.map { scene.connections[place.connection].near.calls[$0] }
  }

  /// Keeps track of since when the client waits in vain, and since when nothing reaches it though something should.
  private mutating func hear(_ observation: Observation, _ place: Place, _ kind: MessageKind? = nil) {
    guard place.hasConnection else { return }
    let isPing: Bool
    if case .ping = observation.event { isPing = true } else { isPing = kind == .palbaseHeartbeat }
    let isAnswer: Bool
    if case .pong = observation.event { isAnswer = true } else { isAnswer = kind == .palbaseHeartbeatReply }
    scene.connections[place.connection].silence.hear(observation, isPing: isPing, isAnswer: isAnswer)
  }

  @inline(__always)
  private mutating func tell(_ topic: Int, _ observation: Observation, _ place: Place) {
    for index in listeners[topic] { clauses[index].observe(observation, place, &scene) }
  }
}

// MARK: - Connections

extension Judge {
  @inline(__always)
  private mutating func place(_ observation: Observation) -> Place {
    if latest.hasConnection, latest.owner == observation.connection { return latest }
    guard let index = places[observation.connection] else { return .nowhere }
    latest = scene.place(index)
    return latest
  }

  private mutating func clientPlace(_ client: ClientID?) -> Int {
    guard let client else { return -1 }
    if let index = clientPlaces[client] { return index }
    scene.clients.append(Scene.ClientState(id: client))
    clientPlaces[client] = scene.clients.count - 1
    return scene.clients.count - 1
  }

  private mutating func accept(_ observation: Observation) -> Place {
    let client = clientPlace(observation.client)
    var state = Scene.ConnectionState(
      id: observation.connection, client: observation.client, clientIndex: client, accepted: observation.time)
    let index: Int
    if let reused = free.popLast() {
      index = reused
      swap(&state.near, &scene.connections[index].near)
      swap(&state.far, &scene.connections[index].far)
      swap(&state.tail, &scene.connections[index].tail)
      state.near.clear()
      state.far.clear()
      state.tail.clear()
      scene.connections[index] = state
    } else {
      index = scene.connections.count
      scene.connections.append(state)
    }
    places[observation.connection] = index
    return scene.place(index)
  }

  private mutating func open(_ place: Place, _ observation: Observation) {
    guard place.hasConnection else { return }
    if observation.side == .client, scene.connections[place.connection].near.opened == nil, place.hasClient {
      scene.clients[place.client].openings += 1
    }
    change(place, observation.side) { if $0.opened == nil { $0.opened = observation.time } }
  }

  private mutating func change(_ place: Place, _ side: Side, _ body: (inout ConnectionView) -> Void) {
    guard place.hasConnection else { return }
    if side == .client {
      body(&scene.connections[place.connection].near)
    } else {
      body(&scene.connections[place.connection].far)
    }
  }

  private mutating func end(_ ending: Ending, _ observation: Observation) {
    let place = self.place(observation)
    guard place.hasConnection else { return }
    let index = place.connection
    let isNear = observation.side == .client
    guard (isNear ? scene.connections[index].near.ended : scene.connections[index].far.ended) == nil else { return }
    change(place, observation.side) {
      $0.ended = ending
      $0.endedFaults = observation.faults
    }
    tellEnded(isNear ? nearClauses : farClauses, place, at: observation.time)
    let state = scene.connections[index]
    guard state.near.ended != nil, state.far.ended != nil || !state.isUpstream else { return }
    if state.far.ended == nil { tellEnded(farClauses, place, at: observation.time) }
    scene.violations.stopWaiting(for: state.id)
    scene.connections[index].isLive = false
    places[observation.connection] = nil
    latest = .nowhere
    free.append(index)
  }

  private mutating func tellEnded(_ listeners: [Int], _ place: Place, at time: Instant) {
    let cut = scene.runEnded.map { $0 <= time } ?? false
    let end = scene.runEnded.map { min($0, time) } ?? time
    for index in listeners { clauses[index].ended(place, at: end, cut: cut, &scene) }
  }
}

// MARK: - Beside the wire

extension Judge {
  private mutating func observeBeside(_ observation: Observation) {
    switch observation.event {
    case .intent(let intent):
      let place = Place(client: clientPlace(observation.client))
      tell(4, observation, place)
      if place.hasClient { scene.clients[place.client].take(intent) }
    case .http: tell(5, observation, Place(client: clientPlace(observation.client)))
    case .audit: tell(6, observation, Place(client: clientPlace(observation.client)))
    case .fault(let edge):
      scene.windows.take(edge, at: observation.time)
      tell(7, observation, .nowhere)
    case .run(let event):
      if case .stall(let length) = event { scene.windows.takeStall(length, at: observation.time) }
      tell(8, observation, .nowhere)
      if event == .ended, scene.runEnded == nil { scene.runEnded = observation.time }
    default: break
    }
  }
}
