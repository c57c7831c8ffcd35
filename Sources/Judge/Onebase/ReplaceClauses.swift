import Core
import JSON
import Protocols

/// OB-S5: a sub with an id that is in use takes the place of the older one.
///
/// Only values that name their arguments tell which of the two queries they belong to: an object that has a member of
/// an argument's name with that argument's value.
struct ResentSubReplaces: TallyingClause {
  static let info = ClauseInfo("OB-S5", .server, .connection, "Re-sending a sub with the same id replaces it.")
  static let topics = Topics.far(.subscribe, .unsubscribe, .update, .steadyUpdate, .transition)

  var tally = Tally()

  /// What a subscription's arguments look like in a value that names them.
  private struct Named { var id: Int64; var names: [ArgumentName] }
  private struct Replaced {
    var id: Int64
    /// The arguments in which the two differ.
    var old: [ArgumentName]
    var new: [ArgumentName]
    var isSettled = false
    /// Values of this id that are still looked into.
    var left = ResentSubReplaces.values
  }
  private struct State { var subscriptions: [Named] = []; var replaced: [Replaced] = [] }
  private var states = PerConnection(State())
  /// How many subscriptions of a connection are remembered by their arguments.
  private static let capacity = 32
  /// How many values after a replacement are looked into.
  private static let values = 32

  init(_ options: JudgeOptions) {}

  var tolerance: String {
    "no value of the old query after the new one's first, among \(Self.values); judged where values name their arguments"
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    switch message.facts.kind {
    case .onebaseSubscribe: subscribe(message, observation, place, &scene)
    case .onebaseUnsubscribe:
      states[place].subscriptions.removeAll { $0.id == message.facts.id }
      states[place].replaced.removeAll { $0.id == message.facts.id }
    case .onebaseUpdate:
      if !states[place].replaced.isEmpty { update(message.facts, message, observation, place, &scene) }
    default:
      guard !states[place].replaced.isEmpty else { return }
      for part in message.facts.parts where part.kind == .onebaseUpdate {
        update(part, message, observation, place, &scene)
      }
    }
  }

  private mutating func subscribe(
    _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard let id = message.facts.id else { return }
    let names = message.facts.arguments.map { ArgumentName.all(in: message.payload, $0) } ?? []
    guard let index = states[place].subscriptions.firstIndex(where: { $0.id == id }) else {
      if states[place].subscriptions.count == Self.capacity { states[place].subscriptions.removeFirst() }
      states[place].subscriptions.append(Named(id: id, names: names))
      return
    }
    let before = states[place].subscriptions[index].names
    states[place].subscriptions[index].names = names
    states[place].replaced.removeAll { $0.id == id }
    let old = before.filter { name in !names.contains(name) && names.contains { $0.key == name.key } }
    let new = names.filter { name in old.contains { $0.key == name.key } }
    guard !new.isEmpty else {
      return tally.doubted("a sub was replaced by one that differs in no argument", at: observation.time)
    }
    if states[place].replaced.count == Self.capacity { states[place].replaced.removeFirst() }
    states[place].replaced.append(Replaced(id: id, old: old, new: new))
  }

  private mutating func update(
    _ facts: MessageFacts, _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard facts.flags.contains(.ok), let value = facts.value,
      let index = states[place].replaced.firstIndex(where: { $0.id == facts.id })
    else { return }
    var replaced = states[place].replaced[index]
    let names = ArgumentName.all(in: message.payload, value)
    replaced.left -= 1
    if replaced.new.allSatisfy({ names.contains($0) }) {
      if !replaced.isSettled { tally.kept(faults: observation.faults) }
      replaced.isSettled = true
    } else if replaced.isSettled, replaced.old.allSatisfy({ names.contains($0) }) {
      replaced.left = 0
      violate(
        "subscription \(replaced.id) shows a value of the query it had before, after the first of the one that "
          + "replaced it", at: observation.time, place, &scene, faults: observation.faults)
    }
    if replaced.left > 0 {
      states[place].replaced[index] = replaced
    } else {
      states[place].replaced.remove(at: index)
      if !replaced.isSettled { unnamed(at: observation.time) }
    }
  }

  private mutating func unnamed(at time: Instant) {
    tally.doubted("the values of a replaced subscription do not name their arguments", at: time)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    for replaced in states[place].replaced where !replaced.isSettled { unnamed(at: time) }
    states.forget(place)
  }
}

/// A plain argument (a string, a number, …) by hashes of its name and of its value as written.
struct ArgumentName: Hashable, Sendable {
  var key: UInt64
  var value: UInt64

  /// How many members of an object are looked at.
  private static let capacity = 8
  /// The longest value that is one, in bytes.
  private static let longest = 128

  /// The plain members of the object at `range`; none of anything else.
  static func all(in payload: [UInt8], _ range: ByteRange) -> [ArgumentName] {
    guard Int(range.upper) <= payload.count else { return [] }
    var names: [ArgumentName] = []
    payload.withUnsafeBytes { bytes in
      _ = TopLevelScanner.scanObject(bytes, in: range) { member in
        guard names.count < capacity, member.kind != .object, member.kind != .array, member.value.count <= longest
        else { return }
        names.append(
          ArgumentName(key: StableHash.of(bytes[member.key.range]), value: StableHash.of(bytes[member.value.range])))
      }
    }
    return names
  }
}
