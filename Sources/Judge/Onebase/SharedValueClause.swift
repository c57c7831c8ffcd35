import Core
import Protocols

/// OB-S9: who subscribes to the same sees the same, in one order.
///
/// Values are told apart by fingerprints. In each group of identical subscriptions the first is the leader, whose last
/// values are the order that the others are held against. Groups whose values come back are judged by what they show
/// when it is quiet only. Over several loops, what groups show at the end is compared.
struct IdenticalSubscriptionsAgree: Clause {
  static let info = ClauseInfo(
    "OB-S9", .server, .fleet, "Identical subscriptions (path, args, user) get the same values.")
  static let topics = Topics.far(.authReply, .subscribe, .unsubscribe, .update, .steadyUpdate, .transition)
    .union(.run)

  private var tally = Tally()

  private struct Member {
    var id: Int64
    var group: Int
    var last: UInt64
    /// The place in the leader's order up to which it has come.
    var position = 0
    /// Values that the leader has not shown yet.
    var pending: [UInt64] = []
  }
  private struct State { var who: UInt64 = 1; var members: [Member] = [] }
  private var states = PerConnection(State())
  private var groups: [Group] = []
  /// Only looked up in, never walked.
  private var places: [UInt64: Int] = [:]
  private var isSampled = false
  private var hasEnded = false
  /// What groups showed when the run ended, ascending.
  private var finals: [Final] = []

  private static let groupCapacity = 256
  private static let membersPerConnection = 16
  private static let pendingCapacity = 4
  private static let finalCapacity = 512
  static let quiet = Duration.seconds(2)

  private struct Final: Hashable, Comparable {
    var key: UInt64
    var value: UInt64
    var loops = 1
    static func < (a: Final, b: Final) -> Bool { (a.key, a.value) < (b.key, b.value) }
  }

  init(_ options: JudgeOptions) {}

  private var tolerance: String {
    "one order of the last \(Group.logCapacity) values, skips allowed; equal after \(Quantity.text(Self.quiet)) of quiet; "
      + "up to \(Self.groupCapacity) queries a loop and \(Self.membersPerConnection) a connection"
  }

  // MARK: - Messages

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    switch message.facts.kind {
    case .onebaseUpdate: update(message.facts, message, observation, place, &scene)
    case .onebaseTransition:
      for part in message.facts.parts where part.kind == .onebaseUpdate {
        update(part, message, observation, place, &scene)
      }
    case .onebaseAuthReply:
      let isKnown = message.facts.flags.contains(.ok)
      states[place].who = isKnown ? StableHash.of(message.bytes(message.facts.credential)) : 0
    default:
      guard let index = states[place].members.firstIndex(where: { $0.id == message.facts.id }) else { return }
      leave(states[place].members.remove(at: index), at: observation.time, place, &scene)
    }
  }

  private mutating func update(
    _ facts: MessageFacts, _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard let id = facts.id else { return }
    let index = states[place].members.firstIndex { $0.id == id }
    guard facts.flags.contains(.ok), let value = facts.value, Int(value.upper) <= message.payload.count else {
      if let index { leave(states[place].members.remove(at: index), at: observation.time, place, &scene) }
      return
    }
    let shown = scene.fingerprint(of: message, value)
    if let index {
      guard states[place].members[index].last != shown else { return }
      var member = states[place].members[index]
      change(&member, to: shown, observation.time, place, &scene)
      states[place].members[index] = member
    } else if let member = join(id, shown, observation.time, place, &scene) {
      states[place].members.append(member)
    }
  }

  private mutating func join(
    _ id: Int64, _ shown: UInt64, _ time: Instant, _ place: Place, _ scene: inout Scene
  ) -> Member? {
    guard let index = scene.connections[place.connection].far.subscription(id) else { return nil }
    guard states[place].members.count < Self.membersPerConnection else {
      isSampled = true
      return nil
    }
    let what = scene.connections[place.connection].far.subscriptions[index].key
    let key = SeededRandom.mix(what ^ SeededRandom.mix(states[place].who))
    guard let group = group(key) else { return nil }
    judgeQuiet(group, at: time, &scene)
    groups[group].settle(at: time)
    groups[group].add(shown, place, id)
    var member = Member(id: id, group: group, last: shown)
    if groups[group].lead(place, id) {
      member.position = groups[group].record(shown)
    } else {
      follow(&member, shown, time, place, &scene)
    }
    return member
  }

  private mutating func group(_ key: UInt64) -> Int? {
    if let index = places[key] { return index }
    guard groups.count < Self.groupCapacity else {
      isSampled = true
      return nil
    }
    groups.append(Group(key: key))
    places[key] = groups.count - 1
    return groups.count - 1
  }

  private mutating func change(
    _ member: inout Member, to shown: UInt64, _ time: Instant, _ place: Place, _ scene: inout Scene
  ) {
    let group = member.group
    judgeQuiet(group, at: time, &scene)
    groups[group].settle(at: time)
    groups[group].drop(member.last)
    groups[group].add(shown, place, member.id)
    member.last = shown
    if groups[group].lead(place, member.id) {
      member.position = groups[group].record(shown)
      groups[group].confirm(against: shown)
    } else {
      follow(&member, shown, time, place, &scene)
    }
  }

  /// Finds a member's latest values in the leader's order.
  private mutating func follow(
    _ member: inout Member, _ shown: UInt64, _ time: Instant, _ place: Place, _ scene: inout Scene
  ) {
    var waiting: [UInt64] = []
    for value in member.pending + [shown] {
      guard let position = groups[member.group].position(of: value) else {
        waiting.append(value)
        continue
      }
      if position >= member.position {
        if member.position > 0, position > member.position { groups[member.group].inOrder += 1 }
        member.position = position
        waiting = []
      } else {
        groups[member.group].doubt(value, scene, time, place)
      }
    }
    member.pending = Array(waiting.suffix(Self.pendingCapacity))
  }

  private mutating func leave(_ member: Member, at time: Instant, _ place: Place, _ scene: inout Scene) {
    judgeQuiet(member.group, at: time, &scene)
    groups[member.group].drop(member.last)
    groups[member.group].unlead(place, member.id)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    if cut { end(at: time, &scene) }
    for member in states[place].members { leave(member, at: time, place, &scene) }
    states.forget(place)
  }

  // MARK: - Quiet

  /// If nothing has changed for long enough, all must show one value.
  private mutating func judgeQuiet(_ group: Int, at time: Instant, _ scene: inout Scene) {
    let since = groups[group].lastChange
    guard !groups[group].isJudged, time - since >= Self.quiet, groups[group].members > 1 else { return }
    groups[group].isJudged = true
    guard scene.windows.clear(.messages, since, time) >= Self.quiet else {
      return tally.doubted("a fault or a stall lay over the quiet in which values are compared", at: time)
    }
    guard groups[group].shown.count > 1, let odd = groups[group].odd else { return tally.kept() }
    let evidence = scene.evidence(
      "\(groups[group].members) identical subscriptions show \(groups[group].shown.count) different values after "
        + "\(Quantity.text(time - since)) without a change; \(odd.count) of them show what this connection does",
      at: time, odd.place, severity: 1)
    tally.violated(evidence)
    scene.violations.add(Self.info.id, evidence)
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    if case .run(.ended) = observation.event { end(at: observation.time, &scene) }
  }

  /// Compares what is shown before the connections are closed.
  private mutating func end(at time: Instant, _ scene: inout Scene) {
    guard !hasEnded else { return }
    hasEnded = true
    for index in groups.indices {
      judgeQuiet(index, at: time, &scene)
      let group = groups[index]
      guard group.shown.count == 1, time - group.lastChange >= Self.quiet else { continue }
      addFinal(Final(key: group.key, value: group.shown[0].value))
    }
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    end(at: time, &scene)
    for group in groups {
      if group.recurs {
        if group.inOrder > 0 { tally.doubted("values of a query came back, so their order proves nothing", at: time) }
        continue
      }
      tally.kept(group.inOrder)
      for doubt in group.doubts where !doubt.isShared {
        guard doubt.isConfirmed else {
          tally.doubted("a value came back, and the run ended before others had shown it or not", at: time)
          continue
        }
        tally.violated(doubt.evidence)
        scene.violations.add(Self.info.id, doubt.evidence)
      }
    }
    groups = []
    places = [:]
  }

  private mutating func addFinal(_ final: Final) {
    let index = finals.firstIndex { $0 >= final } ?? finals.count
    if index < finals.count, finals[index].key == final.key, finals[index].value == final.value {
      finals[index].loops += final.loops
    } else {
      finals.insert(final, at: index)
      if finals.count > Self.finalCapacity { finals.removeLast() }
    }
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    isSampled = isSampled || other.isSampled
    for final in other.finals { addFinal(final) }
  }

  func finding() -> ClauseFinding {
    var tally = tally
    for (index, final) in finals.enumerated() {
      let isOther = index > 0 && finals[index - 1].key == final.key
      if isOther {
        tally.violated(
          Evidence(
            time: .zero, text: "identical subscriptions on different loops show different values when the run ended",
            severity: 1))
      } else if final.loops > 1 {
        tally.kept()
      }
    }
    return tally.finding(
      Self.info, tolerance: tolerance, note: isSampled ? "judged by a part of the subscriptions" : nil)
  }
}
