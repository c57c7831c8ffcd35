import Core
import Protocols

/// OB-S10: a server takes a connection's messages in the order they come.
///
/// A value that lacks the marker of a mutation sent before it was asked for, or before one that it does show, and a
/// later value of the same query that has it, prove another order. So does nothing else: the mutation may have failed,
/// or belong elsewhere.
struct MessagesAreTakenInOrder: TallyingClause {
  static let info = ClauseInfo(
    "OB-S10", .server, .connection, "Messages on a connection are processed in order.")
  static let topics = Topics.far(.call, .result, .update, .steadyUpdate, .transition)

  var tally = Tally()

  private struct Mutation { var key: UInt64; var order: UInt32; var sent: Instant }
  private struct Query { var request: Int64; var key: UInt64; var order: UInt32 }
  /// A mutation that a value of `query` should have shown.
  private struct Absent { var query: UInt64; var mutation: UInt64; var since: Instant }
  private struct State {
    var next: UInt32 = 0
    /// The latest mutations sent, oldest first.
    var mutations: [Mutation] = []
    var queries: [Query] = []
    var absent: [Absent] = []
    /// Two mutations were under way at once: until then updates prove nothing about their order.
    var pipelined: Instant?
  }
  private var states = PerConnection(State())
  private static let capacity = 16
  /// How long after a mutation values are looked into for it.
  private static let memory = Duration.seconds(5)

  init(_ options: JudgeOptions) {}

  var tolerance: String {
    "the last \(Self.capacity) mutations of a connection, looked for until \(Quantity.text(Self.memory)) after they were sent"
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    if message.facts.kind == .onebaseCall { return call(message, observation.time, place, &scene) }
    guard !states[place].mutations.isEmpty else { return }
    expire(observation.time, place)
    switch message.facts.kind {
    case .onebaseResult: result(message.facts, message, observation, place, &scene)
    case .onebaseUpdate:
      if isWatching(place) { update(message.facts, message, observation, place, &scene) }
    default:
      let isWatching = isWatching(place)
      for part in message.facts.parts {
        if part.kind == .onebaseResult {
          result(part, message, observation, place, &scene)
        } else if isWatching {
          update(part, message, observation, place, &scene)
        }
      }
    }
  }

  private mutating func isWatching(_ place: Place) -> Bool {
    states[place].pipelined != nil || !states[place].absent.isEmpty
  }

  private mutating func expire(_ time: Instant, _ place: Place) {
    guard let oldest = states[place].mutations.first, time - oldest.sent > Self.memory else { return }
    states[place].mutations.removeAll { time - $0.sent > Self.memory }
    states[place].absent.removeAll { time - $0.since > Self.memory }
    if let since = states[place].pipelined, time - since > Self.memory { states[place].pipelined = nil }
  }

  private mutating func call(_ message: WireMessage, _ time: Instant, _ place: Place, _ scene: inout Scene) {
    states[place].next &+= 1
    let order = states[place].next
    if CallContent.isMutation(message) {
      guard let marker = CallContent.marker(message) else { return }
      // Sent again, by a fault: the first is the one that counts.
      if states[place].mutations.contains(where: { $0.key == marker.key }) { return }
      expire(time, place)
      if states[place].mutations.count == Self.capacity { states[place].mutations.removeFirst() }
      states[place].mutations.append(Mutation(key: marker.key, order: order, sent: time))
      if scene.connections[place.connection].far.calls.contains(where: { $0.isMutation }) {
        states[place].pipelined = time
      }
    } else if !states[place].mutations.isEmpty, let request = message.facts.request,
      message.bytes(message.facts.name).elementsEqual(#""query""#.utf8)
    {
      if states[place].queries.count == Self.capacity { states[place].queries.removeFirst() }
      states[place].queries.append(Query(request: request, key: Self.key(message), order: order))
    }
  }

  /// Path and arguments as written, as the scene knows subscriptions at the server's side.
  private static func key(_ message: WireMessage) -> UInt64 {
    StableHash.of(message.bytes(message.facts.arguments), seed: StableHash.of(message.bytes(message.facts.path)))
  }

  private mutating func result(
    _ facts: MessageFacts, _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard let index = states[place].queries.firstIndex(where: { $0.request == facts.request }) else { return }
    let query = states[place].queries.remove(at: index)
    guard facts.flags.contains(.ok), let value = facts.value else { return }
    look(value, of: query.key, askedAt: query.order, message, observation, place, &scene)
  }

  private mutating func update(
    _ facts: MessageFacts, _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard facts.flags.contains(.ok), let value = facts.value,
      let index = scene.connections[place.connection].far.subscription(facts.id)
    else { return }
    let key = scene.connections[place.connection].far.subscriptions[index].key
    look(value, of: key, askedAt: nil, message, observation, place, &scene)
  }

  /// - Parameter askedAt: the place of the query among the calls; nil for an update, which nobody asked for.
  private mutating func look(
    _ value: ByteRange, of query: UInt64, askedAt: UInt32?, _ message: WireMessage, _ observation: Observation,
    _ place: Place, _ scene: inout Scene
  ) {
    let mutations = states[place].mutations
    var isShown = [Bool](repeating: false, count: mutations.count)
    Markers.forEach(in: message.payload, value) { marker in
      if let index = mutations.firstIndex(where: { $0.key == marker.key }) { isShown[index] = true }
      return true
    }
    let latest = mutations.indices.last { isShown[$0] }
    // Everything sent before this place should be there.
    let bound = max(askedAt ?? 0, latest.map { mutations[$0].order } ?? 0)
    var shown = 0
    for (index, mutation) in mutations.enumerated() {
      let known = states[place].absent.firstIndex { $0.query == query && $0.mutation == mutation.key }
      if isShown[index] {
        if mutation.order < bound { shown += 1 }
        guard let known else { continue }
        states[place].absent.remove(at: known)
        violate(
          "a mutation is missing from a value whose query, or whose other mutation, was sent after it, and is there in a "
            + "later value of the same query", at: observation.time, place, &scene, faults: observation.faults)
      } else if mutation.order < bound, known == nil {
        if states[place].absent.count == Self.capacity { states[place].absent.removeFirst() }
        states[place].absent.append(Absent(query: query, mutation: mutation.key, since: observation.time))
      }
    }
    if shown > 0 { tally.kept(faults: observation.faults) }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) { states.forget(place) }
}
