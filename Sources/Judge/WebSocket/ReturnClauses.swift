import Core
import Protocols

/// WS-C1: a client that lost its connection comes back, however it lost it.
struct ConnectsAgain: TallyingClause {
  static let info = ClauseInfo(
    "WS-C1", .client, .client,
    "After a close that it did not ask for (FIN, RST, close frame, refused upgrade, silence) it connects again.")
  static let topics: Topics = [.attempt, .intent]

  var tally = Tally()
  private struct Lost { var since: Instant; var how: Departure; var faults: FaultSet }
  private var states = PerClient(Lost?.none)
  private struct Count: Hashable { var lost = 0; var back = 0 }
  private var counts = [Count](repeating: Count(), count: Departure.allCases.count)
  private let cap: Duration
  private let limit: Duration

  init(_ options: JudgeOptions) {
    cap = options.backoffCap
    limit = options.backoffCap * 1.1
  }

  var tolerance: String { "an attempt within the backoff cap of \(Quantity.text(cap)) + 10 %" }
  var note: String? {
    let parts = Departure.allCases.compactMap { how -> String? in
      let count = counts[how.rawValue]
      return count.lost == 0 ? nil : "\(count.back) of \(count.lost) times after \(how.words)"
    }
    return parts.isEmpty ? nil : "came back " + parts.joined(separator: ", ")
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, let lost = states[place] else { return }
    switch observation.event {
    case .attempt:
      states[place] = nil
      counts[lost.how.rawValue].lost += 1
      counts[lost.how.rawValue].back += 1
      if observation.time - lost.since <= limit {
        tally.kept(faults: lost.faults)
      } else {
        late(lost, observation.time, place, &scene, "came back after")
      }
    case .intent(.stopped): states[place] = nil
    default: break
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient, !cut, !scene.clients[place.client].isStopped else { return }
    let connection = scene.connections[place.connection]
    let how = Departure(connection, at: time)
    states[place] = how == .ownClose ? nil : Lost(since: time, how: how, faults: connection.near.endedFaults)
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    for place in states.places {
      guard let lost = states[place] else { continue }
      counts[lost.how.rawValue].lost += 1
      if time - lost.since <= limit {
        tally.doubted("the run ended before the backoff cap had passed", at: time)
      } else {
        late(lost, time, place, &scene, "has not come back for")
      }
    }
  }

  private mutating func late(
    _ lost: Lost, _ time: Instant, _ place: Place, _ scene: inout Scene, _ words: String
  ) {
    guard lost.how.isUnwanted else {
      return tally.doubted(
        "a client that closed by itself, after a silence or without a close frame, may be done", at: time)
    }
    guard scene.windows.clear(.attempts, lost.since, time) > limit else {
      return tally.doubted(
        "attempts could not be seen while the listener was refusing or the generator stalled", at: time)
    }
    let waited = time - lost.since
    violate(
      "the client \(words) \(Quantity.text(waited)) after a \(lost.how.words); an attempt is expected within "
        + Quantity.text(limit), at: time, place, &scene, severity: waited.inSeconds, faults: lost.faults)
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    for index in counts.indices {
      counts[index].lost += other.counts[index].lost
      counts[index].back += other.counts[index].back
    }
  }
}

/// WS-C2: a client that closed by itself is gone.
struct StaysAwayAfterOwnClose: TallyingClause {
  static let info = ClauseInfo(
    "WS-C2", .client, .client, "After its own clean close it does not connect again by itself.")
  static let topics: Topics = [.attempt, .intent]

  var tally = Tally()
  private struct Closed { var since: Instant; var faults: FaultSet }
  private var states = PerClient(Closed?.none)
  private let bound: Duration

  init(_ options: JudgeOptions) { bound = options.backoffCap }

  var tolerance: String {
    "no attempt within \(Quantity.text(bound)) of a close frame with 1000, 1001 or no code that waited for nothing"
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, let closed = states[place] else { return }
    switch observation.event {
    case .attempt:
      states[place] = nil
      let waited = observation.time - closed.since
      if waited > bound { return tally.kept(faults: closed.faults) }
      violate(
        "the client connects again \(Quantity.text(waited)) after its own clean close", at: observation.time, place,
        &scene, faults: closed.faults)
    // It was asked for again.
    case .intent(.started), .intent(.restarted), .intent(.want): states[place] = nil
    default: break
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient else { return }
    let connection = scene.connections[place.connection]
    guard Departure(connection, at: time) == .ownClose, !cut else { return states[place] = nil }
    states[place] = Closed(since: time, faults: connection.near.endedFaults)
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    for place in states.places {
      guard let closed = states[place] else { continue }
      // A client that would come back does so with its first pause, which is short.
      if time - closed.since >= .seconds(2) {
        tally.kept(faults: closed.faults)
      } else {
        tally.doubted("the run ended right after a client's own close", at: time)
      }
    }
  }
}
