import Core
import Protocols

/// WS-C3: a client has one connection at a time.
///
/// Live: open, with no close frame or FIN from the client. An old connection that ends a moment after the new one
/// opened crossed it on the way.
struct NeverTwoSockets: TallyingClause {
  static let info = ClauseInfo("WS-C3", .client, .client, "It never has two live connections.")
  static let topics = Topics.upgradeResponse.union(.nearControl)

  var tally = Tally()
  private struct Overlap { var old: ConnectionID; var since: Instant; var faults: FaultSet }
  private struct State {
    /// Open connections that the client has not closed, oldest first.
    var live: [ConnectionID] = []
    var overlap: Overlap?
  }
  private var states = PerClient(State())
  private static let capacity = 16
  private static let crossing = Duration.milliseconds(500)

  init(_ options: JudgeOptions) {}

  var tolerance: String { "both live for \(Quantity.text(Self.crossing)) at most, as they cross" }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, observation.side == .client else { return }
    switch observation.event {
    case .upgradeResponse(let response) where response.status == 101: open(observation, place, &scene)
    case .closeFrame where observation.direction == .up:
      close(observation.connection, at: observation.time, cut: false, place, &scene)
    default: break
    }
  }

  private mutating func open(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard !states[place].live.contains(observation.connection) else { return }
    if let old = states[place].live.last {
      if states[place].overlap == nil {
        states[place].overlap = Overlap(old: old, since: observation.time, faults: observation.faults)
      }
    } else {
      tally.kept(faults: observation.faults)
    }
    if states[place].live.count == Self.capacity { states[place].live.removeFirst() }
    states[place].live.append(observation.connection)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient else { return }
    close(place.owner, at: time, cut: cut, place, &scene)
  }

  private mutating func close(
    _ connection: ConnectionID, at time: Instant, cut: Bool, _ place: Place, _ scene: inout Scene
  ) {
    states[place].live.removeAll { $0 == connection }
    guard let overlap = states[place].overlap, states[place].live.count <= 1 else { return }
    states[place].overlap = nil
    let length = time - overlap.since
    if length <= Self.crossing {
      return cut ? tally.doubted("the run ended as a connection opened beside another", at: time) : tally.kept()
    }
    guard scene.windows.clear(.times, overlap.since, time) > Self.crossing else {
      return tally.doubted("the generator stalled while two connections were open", at: time)
    }
    violate(
      "connection \(overlap.old) of the client was still live for \(Quantity.text(length)) after it had opened another",
      at: time, place, &scene, severity: length.inSeconds, faults: overlap.faults)
  }
}

/// WS-C11: what a client sends is WebSocket.
struct FramingIsValid: TallyingClause {
  static let info = ClauseInfo(
    "WS-C11", .client, .connection, "What it sends is a valid upgrade request and valid frames (RFC 6455).")
  static let topics = Topics.violation.union([.nearControl]).union(.near(.otherUp))

  var tally = Tally()
  private struct State { var hasSpoken = false; var isBroken = false }
  private var states = PerConnection(State())

  init(_ options: JudgeOptions) {}

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    states[place].hasSpoken = true
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasConnection, observation.side == .client, observation.direction == .up else { return }
    guard case .violation(let reason) = observation.event else { return states[place].hasSpoken = true }
    guard !states[place].isBroken else { return }
    states[place].isBroken = true
    violate(
      "the client's bytes are no WebSocket: \(reason.prefix(160))", at: observation.time, place, &scene,
      faults: observation.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    // An upgrade that was answered was a valid request.
    let hasSpoken = states[place].hasSpoken || scene.connections[place.connection].near.opened != nil
    if hasSpoken, !states[place].isBroken { tally.kept() }
    states.forget(place)
  }
}

/// WS-C12: a fleet of clients that was dropped together does not come back together.
struct AttemptsAreDispersed: Clause {
  static let info = ClauseInfo(
    "WS-C12", .client, .fleet, level: .should, "Clients that were dropped together come back dispersed.")
  static let topics: Topics = [.attempt]

  private var herd: Herd

  init(_ options: JudgeOptions) { herd = Herd(options) }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    herd.attempt(observation, place, scene)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    herd.ended(place, at: time, cut: cut, scene)
  }

  mutating func merge(_ other: Self) { herd.merge(other.herd) }
  func finding() -> ClauseFinding { herd.finding(Self.info) }
}
