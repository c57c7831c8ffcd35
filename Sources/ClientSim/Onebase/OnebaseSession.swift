import Core
import JSON
import Metrics
import Protocols

/// A onebase client, as its protocol document has it, offline convention included.
///
/// On every connection it sends auth and, without waiting, its subscriptions; calls follow once auth is answered, those
/// made meanwhile first and in the order they were made. Where the document leaves a choice:
/// - Calls made while there is no connection wait in the outbox. Mutations are persisted there; queries and actions wait
///   in memory, and are lost with a restart. Latency counts from the intended send all the same.
/// - An outbox entry belongs to the user it was made under, and waits until that user is confirmed. When another user is
///   confirmed, or the token ends, entries of the former one are lost, with a warning.
/// - After an auth failure that is not final the connection is used as it is (anonymous); the token comes again on the
///   next one.
/// - A message that is no onebase message ends the connection; one of an unknown type is passed over.
public struct OnebaseSession: ClientSession {
  enum Phase: UInt8 {
    /// Not started, or offline by its own will.
    case off
    /// Pauses before the next attempt.
    case waiting
    case connecting
    /// Open; auth and subscriptions are sent, and auth is not answered.
    case opened
    /// Auth is answered; calls are sent at once.
    case ready
    case stopped
  }

  let context: SessionContext
  var phase = Phase.off
  var comeback: Comeback

  // The connection.
  var authSent = Instant.zero
  var heartbeat = Heartbeat()
  /// The server refused the token for now: what belongs to a user waits for the next connection.
  var isAuthRefused = false
  /// Since when something it wants is missing: the time of the first drop.
  var outageBegan: Instant?
  var isLive = false

  // What it wants.
  var subscriptions: [Subscription] = []
  var calls = CallTable()
  var audits: [(request: Int64, id: Int)] = []

  // What outlives a restart.
  var token: String?
  var user: KnownUser = .unknown
  var outbox = Outbox()
  var cache: QueryCache

  public init(_ context: SessionContext) {
    self.context = context
    token = context.token
    cache = QueryCache(limit: context.plan.cacheLimit)
    comeback = Comeback(context)
  }

  public mutating func handle(_ event: SessionEvent, at now: Instant, into actions: inout [SessionAction]) {
    if phase == .stopped { return }
    switch event {
    case .start: start(at: now, &actions)
    case .opened: opened(at: now, &actions)
    case .connectFailed(let failure): connectFailed(failure, at: now, &actions)
    case .message(let message): received(message, at: now, &actions)
    case .ping: break
    case .pong(let payload):
      if let took = heartbeat.answered(payload, at: now) {
        actions.append(.measure(.took(.heartbeat, took, intended: now - took)))
      }
    case .closed(let closure): closed(closure, at: now, &actions)
    case .timer(.reconnect): if phase == .waiting { connect(at: now, &actions) }
    case .timer(.ping): ping(at: now, &actions)
    case .timer(.retry): break
    case .command(let command): obey(command, at: now, &actions)
    }
  }

  public var condition: SessionCondition {
    let link: SessionCondition.Link =
      switch phase {
      case .off, .stopped: .off
      case .waiting, .connecting: .reconnecting
      case .opened, .ready: .connected
      }
    return SessionCondition(
      link: link, isLive: link == .off || isLive,
      unanswered: calls.count + audits.count + (isAuthRefused ? 0 : outbox.entries(of: user)))
  }

  public var shownValues: [ShownValue] {
    subscriptions.enumerated().compactMap { index, subscription in
      guard subscription.isLive else { return nil }
      return ShownValue(
        subscription: index, path: subscription.wanted.path, arguments: subscription.wanted.arguments,
        key: subscription.hash, value: subscription.value)
    }
  }

  var isOpen: Bool { phase == .opened || phase == .ready }

  func tell(_ intent: @autoclosure () -> Intent, _ actions: inout [SessionAction]) {
    if context.wantsIntents { actions.append(.intent(intent())) }
  }
}

/// Who the client is, as far as it knows.
enum KnownUser: Hashable {
  /// Nobody has confirmed the token yet.
  case unknown
  /// Confirmed; nil for anonymous.
  case confirmed(String?)
}
