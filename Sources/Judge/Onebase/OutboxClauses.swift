import Core
import Protocols

/// OB-C15: mutations that wait in the outbox outlive the client's process.
struct OutboxOutlivesRestart: TallyingClause {
  static let info = ClauseInfo(
    "OB-C15", .client, .client, sources: [.intent],
    "Queued mutations outlive a restart of the client, in order, and an entry goes when the server answers.")
  static let topics = Topics.near(.call, .authReply, .result, .transition).union(.intent)

  var tally = Tally()
  private struct Entry { var key: UInt64; var outlived = false; var isOvertaken = false }
  private struct State {
    var queue: [Entry] = []
    /// Queued ones that were sent, and those of them that were answered; the latest at the end.
    var sent: [UInt64] = []
    var answered: [UInt64] = []
    var hasRestarted = false
    var replied: Instant?
    /// The last user that the client spoke of.
    var user: String?
  }
  private var states = PerClient(State())
  private static let capacity = 64
  private let bound: Duration

  init(_ options: JudgeOptions) { bound = options.answerBound }

  var tolerance: String { "sent within \(Quantity.text(bound)) of the auth reply after the restart" }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, case .intent(let intent) = observation.event else { return }
    switch intent {
    case .call(kind: "mutation", _, let marker?, offline: true):
      if states[place].queue.count < Self.capacity { states[place].queue.append(Entry(key: marker.key)) }
    case .restarted:
      states[place].hasRestarted = true
      states[place].replied = nil
      for index in states[place].queue.indices { states[place].queue[index].outlived = true }
    case .user(let subject):
      // What one user queued is not sent for another.
      if let user = states[place].user, let subject, user != subject { states[place].queue.removeAll() }
      if subject != nil { states[place].user = subject }
    default: break
    }
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    switch message.facts.kind {
    case .onebaseCall: call(message, observation, place, &scene)
    case .onebaseAuthReply: if states[place].replied == nil { states[place].replied = observation.time }
    case .onebaseResult: answer(message.facts, place, &scene)
    default: for part in message.facts.parts where part.kind == .onebaseResult { answer(part, place, &scene) }
    }
  }

  private mutating func call(
    _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard !states[place].queue.isEmpty || !states[place].sent.isEmpty || !states[place].answered.isEmpty,
      let key = CallContent.marker(message)?.key
    else { return }
    if let index = states[place].queue.firstIndex(where: { $0.key == key }) {
      let entry = states[place].queue.remove(at: index)
      for earlier in 0..<index { states[place].queue[earlier].isOvertaken = true }
      Self.remember(key, in: &states[place].sent)
      guard entry.outlived else { return }
      if entry.isOvertaken {
        violate(
          "after a restart a queued mutation is sent after one that was made later", at: observation.time, place,
          &scene, faults: observation.faults)
      } else {
        tally.kept(faults: observation.faults)
      }
    } else if states[place].hasRestarted, states[place].answered.contains(key) {
      violate(
        "after a restart a mutation that the server had answered is sent again", at: observation.time, place, &scene,
        faults: observation.faults)
    } else if states[place].hasRestarted, states[place].sent.contains(key) {
      violate(
        "after a restart a queued mutation is sent twice", at: observation.time, place, &scene,
        faults: observation.faults)
    }
  }

  private mutating func answer(_ facts: MessageFacts, _ place: Place, _ scene: inout Scene) {
    guard !states[place].sent.isEmpty else { return }
    let view = scene.connections[place.connection].near
    guard let index = view.call(facts.request), let key = view.calls[index].marker?.key,
      let sent = states[place].sent.firstIndex(of: key)
    else { return }
    states[place].sent.remove(at: sent)
    Self.remember(key, in: &states[place].answered)
  }

  private static func remember(_ key: UInt64, in ring: inout [UInt64]) {
    if ring.count == capacity { ring.removeFirst() }
    ring.append(key)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient else { return }
    let state = states[place]
    if cut, let replied = state.replied {
      for entry in state.queue where entry.outlived {
        if time - replied > bound, !scene.windows.overlaps(.messages, replied, time) {
          violate(
            "a mutation queued before a restart was not sent in \(Quantity.text(time - replied)) of connection after it",
            at: time, place, &scene)
        } else {
          tally.doubted("the run ended soon after the restart", at: time)
        }
        states[place].queue.removeAll { $0.key == entry.key }
      }
    }
    states[place].replied = nil
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    for place in states.places where states[place].queue.contains(where: \.outlived) {
      tally.doubted("the client was not connected again after its restart", at: time)
    }
  }
}

/// OB-C16: a mutation that was lost in mid-send is given up, and said to be.
struct LostMutationIsReported: TallyingClause {
  static let info = ClauseInfo(
    "OB-C16", .client, .client, sources: [.intent], "A mutation lost in mid-send is dropped with a warning.")
  static let topics = Topics.near(.call, .authReply).union(.intent)

  var tally = Tally()
  private struct State {
    /// Sent without an answer, and not reported so far.
    var lost: [UInt64] = []
    /// Reported before the wire showed the loss, and all that were reported; the latest at the end.
    var reported: [UInt64] = []
  }
  private var states = PerClient(State())
  private static let capacity = 64

  init(_ options: JudgeOptions) {}

  var tolerance: String { "reported before the next connection's auth reply" }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, case .intent(.callLost(_, let marker?)) = observation.event else { return }
    if let index = states[place].lost.firstIndex(of: marker.key) {
      states[place].lost.remove(at: index)
      tally.kept(faults: observation.faults)
    }
    if states[place].reported.count == Self.capacity { states[place].reported.removeFirst() }
    states[place].reported.append(marker.key)
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    if message.facts.kind == .onebaseAuthReply {
      let lost = states[place].lost
      states[place].lost = []
      for _ in lost {
        violate(
          "a mutation lost in mid-send was not reported before the client was back", at: observation.time, place,
          &scene, faults: observation.faults)
      }
    } else if !states[place].reported.isEmpty, let key = CallContent.marker(message)?.key,
      states[place].reported.contains(key)
    {
      violate(
        "a mutation that was reported lost is sent again", at: observation.time, place, &scene,
        faults: observation.faults)
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient, !cut, scene.clients[place.client].speaks else { return }
    for call in scene.connections[place.connection].near.calls where call.isMutation {
      guard let key = call.marker?.key else { continue }
      if states[place].reported.contains(key) {
        tally.kept()
      } else if states[place].lost.count < Self.capacity {
        states[place].lost.append(key)
      }
    }
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    for place in states.places {
      for _ in states[place].lost { tally.doubted("the run ended before the client was back", at: time) }
    }
  }
}

/// OB-C18: a transition's parts become visible together.
struct TransitionIsAppliedAtOnce: TallyingClause {
  static let info = ClauseInfo(
    "OB-C18", .client, .client, sources: [.intent], "A transition's updates and result are applied together.")
  static let topics: Topics = [.intent]

  var tally = Tally()

  init(_ options: JudgeOptions) {}

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard case .intent(.transitionApplied(let updates, let results, let atOnce)) = observation.event,
      updates + results > 1
    else { return }
    if atOnce { return tally.kept() }
    violate(
      "a state of the client showed a part of a transition of \(updates) updates and \(results) results without the rest",
      at: observation.time, place, &scene)
  }
}
