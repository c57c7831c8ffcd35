import Core
import JSON
import Protocols

/// OB-C14: a client's messages have the shape that the protocol gives them.
struct MessagesAreWellFormed: TallyingClause {
  static let info = ClauseInfo(
    "OB-C14", .client, .connection,
    "One JSON object per message; ids and requestIds are numbers; no requestId in flight twice.")
  static let topics = Topics.everythingSent

  var tally = Tally()

  init(_ options: JudgeOptions) {}

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    if let wrong = wrong(message, scene.connections[place.connection].near) {
      violate(wrong, at: observation.time, place, &scene, faults: observation.faults)
    } else {
      tally.kept(faults: observation.faults)
    }
  }

  @inline(__always)
  private func wrong(_ message: WireMessage, _ view: ConnectionView) -> String? {
    if message.facts.flags.contains(.badIdentifier) {
      return "\(message.facts.kind.inWords) has an identifier that is not a number"
    }
    switch message.facts.kind {
    case .onebaseCall:
      return view.call(message.facts.request) == nil ? nil : "a requestId is used again while its call is in flight"
    case .malformed: return shape(message)
    default: return nil
    }
  }

  /// What is wrong with the shape of a message that the classifier could not place; nil if that is no matter of this
  /// clause.
  private func shape(_ message: WireMessage) -> String? {
    guard message.isText else { return "a binary message is sent; each message is one JSON object as text" }
    guard let value = JSONText.value(of: message.payload[...]) else { return "a message is not JSON" }
    guard let object = value.object else { return "a message is a JSON value but not an object" }
    let identifier: String
    switch object["type"]?.string {
    case "sub", "unsub": identifier = "id"
    case "call": identifier = "requestId"
    default: return nil
    }
    return object[identifier]?.double == nil ? "a message has no number as its `\(identifier)`" : nil
  }
}

/// OB-C13: an error update leaves the subscription as it is.
struct ErrorKeepsSubscription: TallyingClause {
  static let info = ClauseInfo("OB-C13", .client, .connection, "An error update does not end a subscription.")
  static let topics = Topics.near(.update, .transition, .subscribe, .unsubscribe)

  var tally = Tally()
  private struct Watch { var id: Int64; var since: Instant }
  private struct State { var watches: [Watch] = []; var kept = 0; var ended = 0 }
  private var states = PerConnection(State())
  private let bound: Duration
  private static let capacity = 16
  /// A client that reacted to all of at least so many error updates does so by design.
  private static let needed = 3

  init(_ options: JudgeOptions) { bound = options.errorReaction }

  var tolerance: String {
    "no unsub or sub of its id within \(Quantity.text(bound)); fails if there was one in all of ≥ \(Self.needed) cases"
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    switch message.facts.kind {
    case .onebaseUpdate: update(message.facts, observation.time, place, &scene)
    case .onebaseTransition:
      for part in message.facts.parts where part.kind == .onebaseUpdate {
        update(part, observation.time, place, &scene)
      }
    default:
      guard let id = message.facts.id, let index = states[place].watches.firstIndex(where: { $0.id == id })
      else {
        return
      }
      let watch = states[place].watches.remove(at: index)
      if observation.time - watch.since <= bound {
        states[place].ended += 1
      } else {
        states[place].kept += 1
      }
    }
  }

  @inline(__always)
  private mutating func update(_ facts: MessageFacts, _ time: Instant, _ place: Place, _ scene: inout Scene) {
    guard !facts.flags.contains(.ok), let id = facts.id,
      scene.connections[place.connection].near.subscription(id) != nil
    else { return }
    if let index = states[place].watches.firstIndex(where: { $0.id == id }) {
      let watch = states[place].watches.remove(at: index)
      if time - watch.since > bound { states[place].kept += 1 }
    }
    if states[place].watches.count < Self.capacity {
      states[place].watches.append(Watch(id: id, since: time))
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    var state = states[place]
    states.forget(place)
    for watch in state.watches {
      if time - watch.since > bound {
        state.kept += 1
      } else {
        tally.doubted("connections ended right after an error update", at: time)
      }
    }
    if state.kept > 0 {
      tally.kept(state.kept)
    } else if state.ended >= Self.needed {
      violate(
        "all \(state.ended) error updates were followed by an unsub or a sub of their id within \(Quantity.text(bound))",
        at: time, place, &scene, severity: Double(state.ended))
    } else if state.ended > 0 {
      tally.doubted("fewer than \(Self.needed) error updates on a connection, each followed by a change", at: time)
    }
  }
}
