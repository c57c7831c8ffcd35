import Core
import Protocols

/// OB-S8: a mutation's result and the updates that show its writes are one message.
///
/// Only subscriptions that had shown a value before the mutation was sent are judged: the first value of a later one
/// may show the mutation by itself.
struct ResultComesWithUpdates: TallyingClause {
  static let info = ClauseInfo(
    "OB-S8", .server, .connection,
    "A mutation's result and the updates that include its writes arrive in one transition.")
  static let topics = Topics.far(.update, .steadyUpdate, .result, .transition)

  var tally = Tally()

  /// A mutation that was answered while nothing had shown it.
  private struct Answered { var key: UInt64; var order: UInt32; var at: Instant }
  private struct State {
    var answered: [Answered] = []
    /// Mutations that an update showed before their result came.
    var early: [UInt64] = []
  }
  private var states = PerConnection(State())
  private static let capacity = 16
  /// How long after a result a first value that shows the mutation still counts as its own.
  private static let memory = Duration.seconds(5)

  init(_ options: JudgeOptions) {}

  var tolerance: String {
    "the first value that shows the marker, until \(Quantity.text(Self.memory)) after the result"
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard isWatching(place, &scene) else { return }
    var shown = Shown()
    switch message.facts.kind {
    case .onebaseUpdate: collect(message.facts, message, place, &scene, &shown)
    case .onebaseResult: result(message.facts, &shown, observation, place, &scene)
    default:
      for part in message.facts.parts where part.kind == .onebaseUpdate {
        collect(part, message, place, &scene, &shown)
      }
      for part in message.facts.parts where part.kind == .onebaseResult {
        result(part, &shown, observation, place, &scene)
      }
    }
    if !shown.exempt.isEmpty { states[place].answered.removeAll { shown.exempt.contains($0.key) } }
    if !shown.judged.isEmpty { apart(shown.judged, observation, place, &scene) }
  }

  /// The watched mutations that a message shows.
  private struct Shown {
    /// By subscriptions that had shown a value before.
    var judged: [UInt64] = []
    /// By first values only, or by those of subscriptions that came after the mutation: these prove nothing.
    var exempt: [UInt64] = []
  }

  /// Whether a mutation is open or was answered a moment ago: only then values are looked into.
  @inline(__always)
  private mutating func isWatching(_ place: Place, _ scene: inout Scene) -> Bool {
    if scene.connections[place.connection].far.calls.contains(where: { $0.isMutation }) { return true }
    return !states[place].answered.isEmpty
  }

  /// Adds the watched mutations that an update's value shows.
  private mutating func collect(
    _ facts: MessageFacts, _ message: WireMessage, _ place: Place, _ scene: inout Scene, _ shown: inout Shown
  ) {
    guard facts.flags.contains(.ok), let value = facts.value,
      let index = scene.connections[place.connection].far.subscription(facts.id)
    else { return }
    let view = scene.connections[place.connection].far
    let subscription = view.subscriptions[index]
    let answered = states[place].answered
    Markers.forEach(in: message.payload, value) { marker in
      let key = marker.key
      let order =
        view.calls.first { $0.isMutation && $0.marker?.key == key }?.order ?? answered.first { $0.key == key }?.order
      guard let order else { return true }
      if subscription.isAnswered, subscription.order < order {
        if !shown.judged.contains(key) { shown.judged.append(key) }
      } else if !shown.exempt.contains(key) {
        shown.exempt.append(key)
      }
      return true
    }
  }

  /// A result came; takes its mutation out of `shown` if the same message shows it.
  private mutating func result(
    _ facts: MessageFacts, _ shown: inout Shown, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    let view = scene.connections[place.connection].far
    guard let index = view.call(facts.request), view.calls[index].isMutation, let key = view.calls[index].marker?.key
    else { return }
    if let early = states[place].early.firstIndex(of: key) {
      states[place].early.remove(at: early)
      shown.judged.removeAll { $0 == key }
    } else if let together = shown.judged.firstIndex(of: key) {
      shown.judged.remove(at: together)
      if facts.flags.contains(.ok) { tally.kept(faults: observation.faults) }
    } else if facts.flags.contains(.ok), !view.subscriptions.isEmpty, !shown.exempt.contains(key) {
      expire(observation.time, place)
      if states[place].answered.count == Self.capacity { states[place].answered.removeFirst() }
      states[place].answered.append(Answered(key: key, order: view.calls[index].order, at: observation.time))
    }
  }

  private mutating func expire(_ time: Instant, _ place: Place) {
    states[place].answered.removeAll { time - $0.at > Self.memory }
  }

  /// Mutations that this message shows without their result.
  private mutating func apart(
    _ shown: [UInt64], _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    expire(observation.time, place)
    for key in shown {
      if let index = states[place].answered.firstIndex(where: { $0.key == key }) {
        let answered = states[place].answered.remove(at: index)
        let late = observation.time - answered.at
        violate(
          "the first value that shows a mutation came \(Quantity.text(late)) after its result, in a message of its own",
          at: observation.time, place, &scene, severity: late.inSeconds, faults: observation.faults)
      } else if !states[place].early.contains(key),
        scene.connections[place.connection].far.calls.contains(where: { $0.isMutation && $0.marker?.key == key })
      {
        if states[place].early.count == Self.capacity { states[place].early.removeFirst() }
        states[place].early.append(key)
        violate(
          "an update shows a mutation before its result came", at: observation.time, place, &scene,
          faults: observation.faults)
      }
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) { states.forget(place) }
}
