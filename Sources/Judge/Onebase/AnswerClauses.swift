import Core
import Protocols

/// OB-S3: a server answers every `auth`, once, and says for whom or why not.
struct AuthIsAnswered: TallyingClause {
  static let info = ClauseInfo(
    "OB-S3", .server, .connection,
    "Every `auth` is answered: ok with identity (null when anonymous), or not ok with an error.")
  static let topics = Topics.far(.authReply)

  var tally = Tally()
  private let bound: Duration

  init(_ options: JudgeOptions) { bound = options.answerBound }

  var tolerance: String { "missing after \(Quantity.text(bound)) on a connection that lives" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    let view = scene.connections[place.connection].far
    let wrong: String?
    if view.authReplies >= view.auths {
      wrong = "an auth reply comes although every `auth` is answered"
    } else if message.facts.flags.contains(.ok) {
      wrong = message.facts.credential == nil ? "an auth reply is ok but names no identity, not even null" : nil
    } else {
      wrong = message.facts.error == nil ? "an auth reply is not ok but carries no error" : nil
    }
    if let wrong {
      violate(wrong, at: observation.time, place, &scene, faults: observation.faults)
    } else {
      tally.kept(faults: observation.faults)
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    let view = scene.connections[place.connection].far
    guard view.auths > view.authReplies, let sent = view.lastAuth else { return }
    unanswered("an `auth`", since: sent, until: time, place, &scene)
  }
}

/// OB-S4: a server shows every subscription a first result.
struct SubscriptionIsAnswered: TallyingClause {
  static let info = ClauseInfo(
    "OB-S4", .server, .connection, "Every subscription gets a first update carrying its id.")
  static let topics = Topics.far(.update, .transition)

  var tally = Tally()
  private let bound: Duration

  init(_ options: JudgeOptions) { bound = options.answerBound }

  var tolerance: String { "missing after \(Quantity.text(bound)) on a connection that lives" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    if message.facts.kind == .onebaseUpdate { return update(message.facts, observation, place, &scene) }
    for part in message.facts.parts where part.kind == .onebaseUpdate { update(part, observation, place, &scene) }
  }

  @inline(__always)
  private mutating func update(
    _ facts: MessageFacts, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard let index = scene.connections[place.connection].far.subscription(facts.id),
      !scene.connections[place.connection].far.subscriptions[index].isAnswered
    else { return }
    tally.kept(faults: observation.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    for subscription in scene.connections[place.connection].far.subscriptions where !subscription.isAnswered {
      unanswered("subscription \(subscription.id)", since: subscription.sent, until: time, place, &scene)
    }
  }
}

/// OB-S7: a server answers every call, once.
struct CallIsAnsweredOnce: TallyingClause {
  static let info = ClauseInfo(
    "OB-S7", .server, .connection, "Every call gets exactly one result, alone or in a transition.")
  static let topics = Topics.far(.result, .transition)

  var tally = Tally()
  private let bound: Duration

  init(_ options: JudgeOptions) { bound = options.answerBound }

  var tolerance: String { "missing after \(Quantity.text(bound)) on a connection that lives" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    if message.facts.kind == .onebaseResult {
      return result(message.facts, observation, place, &scene, isRepeated: false)
    }
    // A peer may put any number of results into one transition: each is looked up once, in a set.
    var answered: Set<Int64?> = []
    for part in message.facts.parts where part.kind == .onebaseResult {
      result(part, observation, place, &scene, isRepeated: !answered.insert(part.request).inserted)
    }
  }

  /// - Parameter isRepeated: an earlier part of the same transition, which `scene` does not show yet, has answered it.
  private mutating func result(
    _ facts: MessageFacts, _ observation: Observation, _ place: Place, _ scene: inout Scene, isRepeated: Bool
  ) {
    if !isRepeated, scene.connections[place.connection].far.call(facts.request) != nil {
      return tally.kept(faults: observation.faults)
    }
    if scene.connections[place.connection].far.hasOverflowed {
      return tally.doubted("more calls were in flight on a connection than are remembered", at: observation.time)
    }
    let which = facts.request.map { "requestId \($0)" } ?? "no requestId that is a number"
    violate(
      "a result with \(which) answers no open call: it was answered before, or never made", at: observation.time,
      place, &scene, faults: observation.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    for call in scene.connections[place.connection].far.calls {
      unanswered("call \(call.request)", since: call.sent, until: time, place, &scene)
    }
  }
}
