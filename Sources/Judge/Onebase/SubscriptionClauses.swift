import Core
import Protocols

/// OB-S6: what was unsubscribed is not shown any more.
struct UnsubscribedStaysQuiet: TallyingClause {
  static let info = ClauseInfo("OB-S6", .server, .connection, "After unsub, updates stop.")
  static let topics = Topics.far(.unsubscribe, .subscribe, .call, .result, .update, .transition).union(.farControl)

  var tally = Tally()
  /// An id that was unsubscribed, and the round trip that proves that the server knows.
  private struct Quiet { var id: Int64; var request: Int64?; var ping: UInt64?; var isKnown = false }
  private var states = PerConnection([Quiet]())
  private static let capacity = 16

  init(_ options: JudgeOptions) {}

  var tolerance: String { "after a later call or ping was answered on the same connection" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard let id = message.facts.id, message.facts.kind == .onebaseUnsubscribe else {
      if !states[place].isEmpty { follow(message, observation, place, &scene) }
      return
    }
    guard scene.connections[place.connection].far.subscription(id) != nil else { return }
    states[place].removeAll { $0.id == id }
    if states[place].count == Self.capacity { states[place].removeFirst() }
    states[place].append(Quiet(id: id))
  }

  private mutating func follow(
    _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    let facts = message.facts
    switch facts.kind {
    case .onebaseSubscribe: states[place].removeAll { $0.id == facts.id }
    case .onebaseCall:
      for index in states[place].indices where states[place][index].request == nil {
        states[place][index].request = facts.request
      }
    case .onebaseUpdate: update(facts, observation, place, &scene)
    case .onebaseResult: know(observation, place) { $0.request == facts.request }
    default:
      for part in facts.parts where part.kind == .onebaseUpdate { update(part, observation, place, &scene) }
      for part in facts.parts where part.kind == .onebaseResult {
        know(observation, place) { $0.request == part.request }
      }
    }
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasConnection, !states[place].isEmpty else { return }
    switch (observation.event, observation.direction) {
    case (.ping(let payload), .up):
      for index in states[place].indices where states[place][index].ping == nil {
        states[place][index].ping = StableHash.of(payload)
      }
    case (.pong(let payload), .down):
      let hash = StableHash.of(payload)
      know(observation, place) { $0.ping == hash }
    default: break
    }
  }

  private mutating func know(
    _ observation: Observation, _ place: Place, _ isProof: (Quiet) -> Bool
  ) {
    for index in states[place].indices {
      let quiet = states[place][index]
      guard !quiet.isKnown, isProof(quiet) else { continue }
      states[place][index].isKnown = true
      tally.kept(faults: observation.faults)
    }
  }

  private mutating func update(
    _ facts: MessageFacts, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard let index = states[place].firstIndex(where: { $0.id == facts.id && $0.isKnown }) else { return }
    let id = states[place].remove(at: index).id
    violate(
      "an update carries id \(id), which was unsubscribed before a request that is answered already",
      at: observation.time, place, &scene, faults: observation.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    for quiet in states[place] where !quiet.isKnown {
      tally.doubted("no round trip followed an unsub", at: time)
    }
    states.forget(place)
  }
}

/// OB-S11: a subscription that failed lives on.
struct FailedSubscriptionRecovers: TallyingClause {
  static let info = ClauseInfo("OB-S11", .server, .connection, "A failed subscription is kept and recovers.")
  static let topics = Topics.far(.update, .transition)

  var tally = Tally()

  init(_ options: JudgeOptions) {}

  var tolerance: String { "an ok update after an error update, without a new sub" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    if message.facts.kind == .onebaseUpdate { return update(message.facts, observation, place, &scene) }
    for part in message.facts.parts where part.kind == .onebaseUpdate { update(part, observation, place, &scene) }
  }

  @inline(__always)
  private mutating func update(
    _ facts: MessageFacts, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard facts.flags.contains(.ok), let index = scene.connections[place.connection].far.subscription(facts.id),
      scene.connections[place.connection].far.subscriptions[index].hasFailed
    else { return }
    tally.kept(faults: observation.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    for subscription in scene.connections[place.connection].far.subscriptions where subscription.hasFailed {
      tally.doubted("a subscription was still failing at the end, and its cause may have lasted", at: time)
    }
  }
}
