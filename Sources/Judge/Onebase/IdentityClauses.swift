import Core
import JSON
import Protocols

/// OB-S15: a bearer token tells the server's HTTP side who asks.
struct BearerAuthenticates: TallyingClause {
  static let info = ClauseInfo(
    "OB-S15", .server, .connection, sources: [.http], "`Authorization: Bearer` authenticates a request.")
  static let topics: Topics = [.http]

  var tally = Tally()
  private var good = 0
  private var bad = 0

  init(_ options: JudgeOptions) {}

  var tolerance: String { "a good token is not refused (401, 403), a bad one gets no 2xx; one of each" }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard case .http(let exchange) = observation.event, exchange.credential != .none else { return }
    guard let status = exchange.status, status != 429, !(exchange.credential == .good && status >= 500) else {
      return tally.doubted("a request with a token got no answer, a 429 or a 5xx", at: observation.time)
    }
    let isRefused = status == 401 || status == 403
    switch exchange.credential {
    case .good where isRefused:
      violate("a good token is refused with \(status)", at: observation.time, place, &scene)
    case .good:
      good += 1
      tally.kept(faults: observation.faults)
    case .bad where (200..<300).contains(status):
      violate("a bad token is answered with \(status)", at: observation.time, place, &scene)
    case .bad:
      bad += 1
      tally.kept(faults: observation.faults)
    case .none: break
    }
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    good += other.good
    bad += other.bad
  }

  func finding() -> ClauseFinding {
    var finding = tally.finding(Self.info, tolerance: tolerance)
    if finding.verdict == .pass, good == 0 || bad == 0 {
      finding.verdict = .inconclusive
      finding.reason = "only \(good == 0 ? "bad" : "good") tokens were tried"
    }
    return finding
  }
}

/// OB-S17: a subscription is run for whom the connection speaks.
///
/// Judged by the function `me:get`, which answers with the identity that it runs under.
struct SubscriptionRunsUnderIdentity: TallyingClause {
  static let info = ClauseInfo(
    "OB-S17", .server, .connection, "Subscriptions run under the identity in effect when they start.")
  static let topics = Topics.far(.authReply, .subscribe, .unsubscribe, .update, .steadyUpdate, .transition)

  var tally = Tally()

  /// Whom a connection or a value speaks of, by a hash of the subject.
  private enum Who: Hashable { case unknown, nobody, subject(UInt64) }
  private struct State { var who = Who.unknown; var ids: [Int64] = [] }
  private var states = PerConnection(State())
  /// Hashes of the identities seen, ascending; 0 for nobody. Two are enough.
  private var identities: [UInt64] = []
  private static let capacity = 8

  init(_ options: JudgeOptions) {}

  var tolerance: String { "`me:get` names the subject of the auth reply; two identities or more" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    switch message.facts.kind {
    case .onebaseAuthReply: if message.facts.flags.contains(.ok) { take(message, place) }
    case .onebaseSubscribe:
      states[place].ids.removeAll { $0 == message.facts.id }
      guard message.bytes(message.facts.path).elementsEqual(#""me:get""#.utf8), let id = message.facts.id,
        states[place].ids.count < Self.capacity
      else { return }
      states[place].ids.append(id)
    case .onebaseUnsubscribe: states[place].ids.removeAll { $0 == message.facts.id }
    case .onebaseUpdate:
      if !states[place].ids.isEmpty { update(message.facts, message, observation, place, &scene) }
    default:
      guard !states[place].ids.isEmpty else { return }
      for part in message.facts.parts where part.kind == .onebaseUpdate {
        update(part, message, observation, place, &scene)
      }
    }
  }

  private mutating func take(_ message: WireMessage, _ place: Place) {
    states[place].who = Self.who(message.bytes(message.facts.credential))
  }

  private static func who(_ raw: ArraySlice<UInt8>) -> Who {
    guard let value = JSONText.value(of: raw) else { return .unknown }
    if value == .null { return .nobody }
    return value.object?["subject"]?.string.map { .subject(max(StableHash.of($0.utf8), 1)) } ?? .unknown
  }

  private mutating func update(
    _ facts: MessageFacts, _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard facts.flags.contains(.ok), let id = facts.id, states[place].ids.contains(id) else { return }
    let (mine, shown) = (states[place].who, Self.who(message.bytes(facts.value)))
    guard mine != .unknown, shown != .unknown else {
      return tally.doubted("an identity or a value of `me:get` names no subject", at: observation.time)
    }
    guard mine == shown else {
      return violate(
        "`me:get` shows another identity than the one that the auth reply named", at: observation.time, place, &scene,
        faults: observation.faults)
    }
    tally.kept(faults: observation.faults)
    if case .subject(let hash) = mine { remember(hash) } else { remember(0) }
  }

  private mutating func remember(_ identity: UInt64) {
    guard !identities.contains(identity) else { return }
    identities = Array((identities + [identity]).sorted().prefix(2))
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) { states.forget(place) }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    for identity in other.identities { remember(identity) }
  }

  func finding() -> ClauseFinding {
    var finding = tally.finding(Self.info, tolerance: tolerance)
    if finding.verdict == .pass, identities.count < 2 {
      finding.verdict = .inconclusive
      finding.reason = "only one identity subscribed to `me:get`"
    }
    return finding
  }
}
