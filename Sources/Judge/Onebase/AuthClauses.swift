import Core
import Protocols

/// OB-C1: the first thing a client says on a connection is who it is.
struct AuthComesFirst: TallyingClause {
  static let info = ClauseInfo(
    "OB-C1", .client, .connection, "On every connection the first message is `auth` (a token or null).")
  static let topics = Topics.everythingSent

  var tally = Tally()

  init(_ options: JudgeOptions) {}

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard !scene.connections[place.connection].near.hasSpoken else { return }
    if message.facts.kind == .onebaseAuth { return tally.kept(faults: observation.faults) }
    violate(
      "the first message of a connection is \(message.facts.kind.inWords), not `auth`", at: observation.time, place,
      &scene, faults: observation.faults)
  }
}

/// OB-C2: `auth` comes once on a connection, before anything that depends on it.
struct AuthComesOnce: TallyingClause {
  static let info = ClauseInfo("OB-C2", .client, .connection, "`auth` comes once, before subscriptions and calls.")
  static let topics = Topics.near(.auth, .subscribe, .unsubscribe, .call)

  var tally = Tally()
  /// The connection has asked for something before it said who asks; told once.
  private var hasJumped = PerConnection(false)

  init(_ options: JudgeOptions) {}

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    let auths = scene.connections[place.connection].near.auths
    if message.facts.kind == .onebaseAuth {
      if auths == 0 { return tally.kept(faults: observation.faults) }
      violate(
        "`auth` is sent for the \(auths + 1)th time on one connection", at: observation.time, place, &scene,
        severity: Double(auths), faults: observation.faults)
    } else if auths == 0, !hasJumped[place] {
      hasJumped[place] = true
      violate(
        "\(message.facts.kind.inWords) is sent before `auth`", at: observation.time, place, &scene,
        faults: observation.faults)
    }
  }
}

/// OB-C11: a token that is gone for good is not sent again.
struct EndedTokenIsForgotten: TallyingClause {
  static let info = ClauseInfo(
    "OB-C11", .client, .client, "After an auth failure with `ended: true` that token is not sent again.")
  static let topics = Topics.near(.auth, .authReply)

  var tally = Tally()
  private struct State { var current: UInt64?; var ended: [UInt64] = [] }
  private var states = PerClient(State())
  /// How many ended tokens of one client are remembered.
  private static let capacity = 8

  init(_ options: JudgeOptions) {}

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    if message.facts.kind == .onebaseAuth {
      let token = message.tokenHash
      states[place].current = token
      guard !states[place].ended.isEmpty else { return }
      if let token, states[place].ended.contains(token) {
        violate(
          "a token is sent again although the server said that it is gone for good", at: observation.time, place,
          &scene, faults: observation.faults)
      } else {
        tally.kept(faults: observation.faults)
      }
    } else if !message.facts.flags.contains(.ok), message.facts.flags.contains(.ended),
      let token = states[place].current, !states[place].ended.contains(token)
    {
      if states[place].ended.count == Self.capacity { states[place].ended.removeFirst() }
      states[place].ended.append(token)
    }
  }
}

/// OB-C12: a failure that may pass does not sign the client out.
struct OtherFailureKeepsToken: TallyingClause {
  static let info = ClauseInfo(
    "OB-C12", .client, .client, "After any other auth failure it comes with a token again on the next connection.")
  static let topics = Topics.near(.auth, .authReply).union(.intent)

  var tally = Tally()
  private struct State { var sentToken = false; var failed = false; var changed = false }
  private var states = PerClient(State())

  init(_ options: JudgeOptions) {}

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    let hasToken = message.facts.flags.contains(.hasToken)
    if message.facts.kind == .onebaseAuth {
      let state = states[place]
      states[place] = State(sentToken: hasToken)
      guard state.failed else { return }
      if hasToken {
        tally.kept(faults: observation.faults)
      } else if state.changed {
        tally.doubted("the client's user changed between the failure and the next connection", at: observation.time)
      } else {
        violate(
          "an anonymous `auth` follows a failure that may pass; the token was to be kept", at: observation.time, place,
          &scene, faults: observation.faults)
      }
    } else if !message.facts.flags.contains(.ok) {
      states[place].failed = states[place].sentToken && !message.facts.flags.contains(.ended)
    }
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, case .intent(.user) = observation.event else { return }
    states[place].changed = true
  }
}

extension WireMessage {
  /// Tells an auth's token from others without keeping it; nil for an anonymous one.
  fileprivate var tokenHash: UInt64? {
    facts.flags.contains(.hasToken) ? StableHash.of(bytes(facts.credential)) : nil
  }
}

extension MessageKind {
  /// For sentences.
  var inWords: String {
    switch self {
    case .onebaseAuth: "an `auth`"
    case .onebaseSubscribe: "a `sub`"
    case .onebaseUnsubscribe: "an `unsub`"
    case .onebaseCall: "a `call`"
    case .malformed: "no message of the protocol"
    case .unclassified: "a message of an unknown type"
    default: "a message of kind \(rawValue)"
    }
  }
}
