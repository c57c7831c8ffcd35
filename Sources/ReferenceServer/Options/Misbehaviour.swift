/// Ways in which the server can be told to break the protocol, so that judges and clients can be tried against them.
///
/// An open set: a new one gets a case here and one question in `Misbehaviours`, which the code asks at its place.
public enum Misbehaviour: String, CaseIterable, Hashable, Sendable {
  /// A mutation's result and the updates that include its writes come as separate messages, the result first.
  case splitTransition
  /// Ping frames are not answered.
  case noPong
  /// Every call runs twice and is answered once.
  case doubleCall
  /// Every tenth update to somebody else's subscription is not sent.
  case loseUpdate
  /// Idle connections are closed after half the time.
  case earlyIdleClose
  /// Idle connections are never closed.
  case noIdleClose
  /// Calls are answered twice.
  case doubleResult
  /// Every tenth call is run and not answered.
  case noResult
  /// Subscriptions get no first update, only those after a change.
  case noFirstUpdate
  /// `auth` is not answered.
  case noAuthReply
  /// `unsub` is taken and has no effect.
  case ignoreUnsub
  /// A subscription whose run failed is forgotten, so that it never recovers.
  case forgetFailed
  /// Mutations are acknowledged and every tenth is not stored.
  case forgetWrite
  /// Every bearer token is taken for a good one over HTTP.
  case acceptAnyBearer
}

/// The misbehaviours that are on, as questions asked where the server would behave.
struct Misbehaviours {
  private let active: Set<Misbehaviour>
  private var deliveries = 0
  private var calls = 0
  private var mutations = 0
  /// How rare the misbehaviours are that hit one of many.
  private static let oneIn = 10

  init(_ active: Set<Misbehaviour>) { self.active = active }

  func contains(_ one: Misbehaviour) -> Bool { active.contains(one) }

  /// Asked once per update to another connection's subscription; most servers ask nothing.
  mutating func losesDelivery() -> Bool {
    if active.isEmpty || !active.contains(.loseUpdate) { return false }
    deliveries &+= 1
    return deliveries % Self.oneIn == 0
  }

  /// How often a call's result is sent.
  mutating func answers() -> Int {
    if active.contains(.doubleResult) { return 2 }
    guard active.contains(.noResult) else { return 1 }
    calls &+= 1
    return calls % Self.oneIn == 0 ? 0 : 1
  }

  /// Whether a mutation's writes are thrown away.
  mutating func forgetsWrite() -> Bool {
    guard active.contains(.forgetWrite) else { return false }
    mutations &+= 1
    return mutations % Self.oneIn == 0
  }

  /// When an idle connection is closed, for a server that should close it after `timeout`; nil for never.
  func idleTimeout(_ timeout: Duration?) -> Duration? {
    if active.contains(.noIdleClose) { return nil }
    return active.contains(.earlyIdleClose) ? timeout.map { $0 / 2 } : timeout
  }
}
