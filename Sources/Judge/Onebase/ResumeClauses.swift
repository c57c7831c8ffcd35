import Core
import Protocols

/// OB-C7: after a reconnect a client says who it is, then what it wants to see, then what it wants done.
struct ResumesInOrder: TallyingClause {
  static let info = ClauseInfo(
    "OB-C7", .client, .connection, "After a reconnect: auth, then subscriptions, then queued calls.")
  static let topics = Topics.near(.auth, .subscribe, .call).union(.intent)

  var tally = Tally()
  private struct State {
    /// What was live at the drop and has not been subscribed to again.
    var expected: [UInt64] = []
    var hasCalled = false
    var hasResumed = false
    var isBroken = false
  }
  private var states = PerClient(State())

  init(_ options: JudgeOptions) {}

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, scene.clients[place.client].openings > 1 else { return }
    let auths = scene.connections[place.connection].near.auths
    switch message.facts.kind {
    case .onebaseAuth: states[place].hasResumed = true
    case .onebaseCall:
      if auths == 0 { broken("a call comes before `auth` after a reconnect", observation, place, &scene) }
      states[place].hasCalled = true
    default:
      if auths == 0 {
        return broken("a subscription comes before `auth` after a reconnect", observation, place, &scene)
      }
      guard !states[place].expected.isEmpty, let key = SubscriptionKey(message),
        let index = states[place].expected.firstIndex(of: key.hash)
      else { return }
      states[place].expected.remove(at: index)
      if states[place].hasCalled {
        broken(
          "after a reconnect a call was sent before `\(key.path)`, live at the drop, was subscribed to again",
          observation, place, &scene)
      }
    }
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, case .intent(.unwant(let path, let arguments)) = observation.event else { return }
    let key = SubscriptionKey(path: path, arguments: arguments).hash
    states[place].expected.removeAll { $0 == key }
  }

  private mutating func broken(_ text: String, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard !states[place].isBroken else { return }
    states[place].isBroken = true
    violate(text, at: observation.time, place, &scene, faults: observation.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient else { return }
    let view = scene.connections[place.connection].near
    guard view.opened != nil else { return }
    let state = states[place]
    if state.hasResumed, !state.isBroken, !view.subscriptions.isEmpty || state.hasCalled { tally.kept() }
    // A connection that ended before anything was resumed leaves what it should have resumed to the next.
    var expected = view.subscriptions.isEmpty && !state.hasCalled ? state.expected : []
    for subscription in view.subscriptions where !expected.contains(subscription.key) {
      if expected.count < ConnectionView.capacity { expected.append(subscription.key) }
    }
    states[place] = State(expected: expected)
  }
}

/// OB-C8: what was subscribed before the drop is subscribed again.
struct SubscribesAgain: TallyingClause {
  static let info = ClauseInfo(
    "OB-C8", .client, .client, "What was subscribed before the drop is subscribed again.")
  static let topics = Topics.near(.auth, .authReply, .subscribe, .call).union(.intent)

  var tally = Tally()
  private struct State {
    /// What was live at the drop and has not been sent again.
    var missing: [UInt64] = []
    var expected = 0
    /// The connection after the drop has said who it is, and is judged by what follows.
    var isArmed = false
    var replied: Instant?
    var wasRefused = false
  }
  private var states = PerClient(State())
  private let bound: Duration

  init(_ options: JudgeOptions) { bound = options.resubscribeBound }

  var tolerance: String { "within \(Quantity.text(bound)) of the auth reply" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, !states[place].missing.isEmpty else { return }
    switch message.facts.kind {
    case .onebaseAuth:
      states[place].isArmed = true
      states[place].expected = states[place].missing.count
    case .onebaseAuthReply:
      guard states[place].replied == nil else { return }
      states[place].replied = observation.time
      states[place].wasRefused = !message.facts.flags.contains(.ok)
    default:
      guard states[place].isArmed else { return }
      if isOver(states[place], at: observation.time) { return judge(observation.time, place, &scene) }
      guard message.facts.kind == .onebaseSubscribe, let key = SubscriptionKey(message)?.hash,
        let index = states[place].missing.firstIndex(of: key)
      else { return }
      states[place].missing.remove(at: index)
      if states[place].missing.isEmpty { resumed(place, faults: observation.faults) }
    }
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, case .intent(let intent) = observation.event else { return }
    switch intent {
    case .unwant(let path, let arguments):
      let key = SubscriptionKey(path: path, arguments: arguments).hash
      let wasOpen = !states[place].missing.isEmpty
      states[place].missing.removeAll { $0 == key }
      if wasOpen, states[place].missing.isEmpty, states[place].isArmed { resumed(place, faults: []) }
    case .stopped: states[place] = State()
    default: break
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient else { return }
    let view = scene.connections[place.connection].near
    if states[place].isArmed, !states[place].missing.isEmpty {
      if isOver(states[place], at: time) {
        judge(time, place, &scene)
      } else {
        tally.doubted("connections ended before \(Quantity.text(bound)) had passed since the auth reply", at: time)
      }
    }
    var missing = states[place].missing
    for subscription in view.subscriptions where !missing.contains(subscription.key) {
      if missing.count < ConnectionView.capacity { missing.append(subscription.key) }
    }
    states[place] = State(missing: cut ? [] : missing)
  }

  private func isOver(_ state: State, at time: Instant) -> Bool {
    state.replied.map { time - $0 > bound } ?? false
  }

  private mutating func resumed(_ place: Place, faults: FaultSet) {
    tally.kept(faults: faults)
    states[place] = State()
  }

  private mutating func judge(_ time: Instant, _ place: Place, _ scene: inout Scene) {
    let state = states[place]
    states[place] = State()
    guard let replied = state.replied else { return }
    if state.wasRefused {
      return tally.doubted("the auth was refused, so the client's wants may have changed", at: time)
    }
    guard scene.clients[place.client].speaks else {
      return tally.doubted("a change of wants could explain what was not subscribed to again", at: time)
    }
    guard !scene.windows.overlaps(.messages, replied, replied + bound) else {
      return tally.doubted("a fault or a stall lay over the time after the auth reply", at: time)
    }
    violate(
      "\(state.missing.count) of \(state.expected) subscriptions live at the drop were not sent again within "
        + "\(Quantity.text(bound)) of the auth reply", at: time, place, &scene, severity: Double(state.missing.count))
  }
}
