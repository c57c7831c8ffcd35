import Core
import Protocols

/// WS-C10: a client does not sit in front of a dead connection for ever.
///
/// Silent is a connection on which nothing reaches the client although something should: what the server sent is
/// swallowed or held by a fault, or the client's own ping has no answer. A server that has nothing to say is not silent.
struct SilenceIsNoticed: TallyingClause {
  static let info = ClauseInfo(
    "WS-C10", .client, .connection, "A connection that has fallen silent is noticed and closed.")
  static let topics = Topics.near(.otherDown).union(.nearControl)

  var tally = Tally()
  private var shortest: Duration?
  private var longest = Duration.zero
  private let bound: Duration
  /// A wait of this length is no silence yet.
  private static let least = Duration.seconds(2)

  init(_ options: JudgeOptions) { bound = options.silenceBound }

  var tolerance: String { "closed within \(Quantity.text(bound)) of the first thing that should have come" }
  var note: String? {
    shortest.map { "noticed after \(Quantity.text($0))" + (longest > $0 ? " to \(Quantity.text(longest))" : "") }
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    heard(observation, place, &scene)
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    if observation.direction == .down { heard(observation, place, &scene) }
  }

  /// Something came after all.
  private mutating func heard(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasConnection, observation.disposition != .dropped,
      !scene.connections[place.connection].near.clientClosed,
      let since = scene.connections[place.connection].silence.hushed, observation.time - since > bound
    else { return }
    overdue(since, observation.time, place, &scene, faults: observation.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    let connection = scene.connections[place.connection]
    guard connection.near.opened != nil, let since = connection.silence.hushed else { return }
    let isOwn = connection.near.ended?.by == .client || connection.near.clientClosed
    let close = isOwn ? connection.near.closing ?? time : time
    let waited = close - since
    if waited > bound {
      overdue(since, close, place, &scene, faults: connection.near.endedFaults)
    } else if waited >= Self.least {
      if isOwn, !cut {
        shortest = min(shortest ?? waited, waited)
        longest = max(longest, waited)
        tally.kept(faults: connection.near.endedFaults)
      } else {
        tally.doubted("a silent connection was ended by others before the client had to notice", at: time)
      }
    }
  }

  private mutating func overdue(
    _ since: Instant, _ until: Instant, _ place: Place, _ scene: inout Scene, faults: FaultSet
  ) {
    guard scene.windows.clear(.times, since, until) > bound else {
      return tally.doubted("the generator stalled during a silence", at: until)
    }
    violate(
      "the client stayed on a connection that was silent for \(Quantity.text(until - since)); it is expected to close it "
        + "within \(Quantity.text(bound))", at: until, place, &scene, severity: (until - since).inSeconds,
      faults: faults)
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    shortest = [shortest, other.shortest].compactMap { $0 }.min()
    longest = max(longest, other.longest)
  }
}
