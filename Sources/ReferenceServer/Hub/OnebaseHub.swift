import Core
import JSON
import Protocols

/// The server without its sockets: takes what happens on connections and appends what is to be done. No I/O, no clock.
///
/// Messages are processed one after another, in the order given; a mutation's result and the updates of its own
/// connection leave as one transition. Connections are known by slots, small numbers that are used again after `close`.
/// Confined to its owner.
public final class OnebaseHub {
  let options: OnebaseServerOptions
  var backend: OnebaseBackend
  var tokens: TokenBook
  var misbehaviours: Misbehaviours
  var connections: [HubConnection] = []
  private var freeSlots: [Int] = []
  var live = LiveSubscriptions()
  /// Counts propagations and deliveries, to mark what each has met.
  var round: UInt64 = 0
  var counts = OnebaseStatistics()

  public init(options: OnebaseServerOptions = OnebaseServerOptions()) {
    self.options = options
    backend = OnebaseBackend(options: options)
    tokens = TokenBook(known: options.tokens, conventions: options.tokenConventions)
    misbehaviours = Misbehaviours(options.misbehave)
  }

  public var statistics: OnebaseStatistics {
    var statistics = counts
    statistics.queryRuns = backend.queryRuns
    statistics.storedBytes = backend.storedBytes
    return statistics
  }

  /// How many queries run for subscribers: one per function, arguments and user.
  public var liveSubscriptions: Int { live.all.count }

  // MARK: Connections

  /// A connection was opened; its slot.
  public func open() -> Int {
    counts.opened += 1
    counts.open += 1
    guard let slot = freeSlots.popLast() else {
      connections.append(HubConnection())
      return connections.count - 1
    }
    connections[slot] = HubConnection()
    return slot
  }

  /// A connection is gone, and its subscriptions with it. Its slot may be given to another.
  public func close(_ slot: Int) {
    guard isOpen(slot) else { return }
    let entries = connections[slot].entries
    connections[slot] = HubConnection()
    connections[slot].isOpen = false
    for entry in entries { leave(entry) }
    freeSlots.append(slot)
    counts.open -= 1
  }

  func isOpen(_ slot: Int) -> Bool { connections.indices.contains(slot) && connections[slot].isOpen }

  // MARK: Messages

  /// A message has come.
  public func receive(_ slot: Int, isText: Bool, payload: [UInt8], at now: Instant, into actions: inout [HubAction]) {
    guard isOpen(slot), !connections[slot].isRefused else { return }
    counts.messages += 1
    guard isText else { return refuse(slot, code: 1003, "onebase messages are text", &actions) }
    let facts = OnebaseClassifier().facts(isText: true, payload: payload, direction: .up)
    if facts.kind == .unclassified {
      // A type this server does not know: skipped, as one from a newer client.
      counts.unknown += 1
      return
    }
    let message: OnebaseClientMessage
    do throws(OnebaseDecodingError) {
      message = try OnebaseClientMessage.decode(payload, facts: facts)
      try MessageNumbers.check(facts, payload)
    } catch {
      return refuse(slot, code: 1008, "\(error)", &actions)
    }
    switch message {
    case .auth(let token): authenticate(slot, token, &actions)
    case .subscribe(let id, let path, let arguments):
      let call = FunctionCall(path: path, arguments: arguments, identity: connections[slot].identity, now: now)
      subscribe(slot, id, call, argumentBytes: facts.arguments?.count ?? 2, &actions)
    case .unsubscribe(let id):
      guard !misbehaviours.contains(.ignoreUnsub), let entry = connections[slot].remove(id) else { return }
      leave(entry)
    case .call(let request, let kind, let path, let arguments):
      let call = FunctionCall(path: path, arguments: arguments, identity: connections[slot].identity, now: now)
      self.call(slot, request, kind, call, argumentBytes: facts.arguments?.count ?? 2, &actions)
    }
  }

  private func refuse(_ slot: Int, code: UInt16, _ reason: String, _ actions: inout [HubAction]) {
    counts.malformed += 1
    connections[slot].isRefused = true
    actions.append(.close(slot: slot, code: code, reason: reason))
  }

  private func authenticate(_ slot: Int, _ token: String?, _ actions: inout [HubAction]) {
    let reply: OnebaseServerMessage
    switch tokens.verdict(for: token) {
    case .anonymous:
      counts.authAccepted += 1
      connections[slot].identity = nil
      reply = .authenticated(identity: .null)
    case .valid(let identity):
      counts.authAccepted += 1
      connections[slot].identity = identity
      reply = .authenticated(identity: identity.json)
    case .refused(let error, let ended):
      if ended { counts.authEnded += 1 } else { counts.authFailed += 1 }
      connections[slot].identity = nil
      reply = .authenticationFailed(error: error, ended: ended)
    }
    if misbehaviours.contains(.noAuthReply) { return }
    actions.append(.send(slot: slot, frame: ServerFrame.make(capacity: 96) { reply.encode(into: &$0) }))
  }

  /// The token is refused as ended from now on: its user signed out. Open connections keep their identity.
  public func revoke(token: String) { tokens.revoke(token) }

  /// The deploy that adds the late function: every subscription runs again, and those that failed for want of it
  /// recover.
  public func deploy(at now: Instant, into actions: inout [HubAction]) {
    backend.deploy()
    round += 1
    var changed: [LiveSubscription] = []
    for subscription in live.all where refresh(subscription, at: now) { changed.append(subscription) }
    deliver(changed, to: nil, &actions)
  }
}

/// The numbers of a message must be ones that can be answered with: whole, and within 64 bits.
enum MessageNumbers {
  static func check(_ facts: MessageFacts, _ payload: [UInt8]) throws(OnebaseDecodingError) {
    // The classifier gives other numbers as the bits of a double, all of which but the tiniest are above this.
    guard let number = facts.id ?? facts.request, number.magnitude >= 1 << 52 else { return }
    let name = facts.id == nil ? "requestId" : "id"
    guard let value = JSONText.value(of: payload[...]), value[name]?.integer == nil else { return }
    throw OnebaseDecodingError("`\(name)` is no whole number of at most 64 bits")
  }
}
