import Core
import Protocols

/// What the clients of one fleet want and do, as the scenario has it.
public final class FleetPlan: Sendable {
  /// What a client does when a ping was not answered by the time the next is due.
  public enum DeadPing: String, CaseIterable, Sendable { case close, ignore }

  public static let defaultPing = Duration.seconds(30)
  public static let defaultConnectTimeout = Duration.seconds(10)
  public static let defaultCacheLimit = 50
  public static let defaultOutboxLimit = 10_000

  public let name: String
  /// Position among the fleets.
  public let ordinal: Int
  /// Its clients are numbered from here on.
  public let first: ClientID
  public let clients: Int
  /// Client i of n starts at i/n of this.
  public let ramp: Duration
  public let subscriptions: [SubscriptionPlan]
  public let calls: [CallPlan]
  /// The channels that a palbase client wants from its start.
  public let channels: [Template]
  public let reconnect: ReconnectPolicy
  /// How often a client pings; nil for never.
  public let ping: Duration?
  public let deadPing: DeadPing
  public let connectTimeout: Duration
  public let token: TokenSource
  public let behave: Set<Behaviour>
  /// How many results the query cache keeps; 0 for no cache.
  public let cacheLimit: Int
  /// How many calls wait while there is no connection; 0 for no outbox: such calls are lost at once.
  public let outboxLimit: Int
  /// Begins without a connection, until the timeline says `online`.
  public let startsOffline: Bool

  init(
    name: String, ordinal: Int = 0, first: ClientID = ClientID(0), clients: Int = 1, ramp: Duration = .zero,
    subscriptions: [SubscriptionPlan] = [], calls: [CallPlan] = [], channels: [Template] = [],
    reconnect: ReconnectPolicy = .onebase,
    ping: Duration? = defaultPing, deadPing: DeadPing = .close, connectTimeout: Duration = defaultConnectTimeout,
    token: TokenSource = .none, behave: Set<Behaviour> = [], cacheLimit: Int = defaultCacheLimit,
    outboxLimit: Int = defaultOutboxLimit, startsOffline: Bool = false
  ) {
    self.name = name
    self.ordinal = ordinal
    self.first = first
    self.clients = clients
    self.ramp = ramp
    self.subscriptions = subscriptions
    self.calls = calls
    self.channels = channels
    self.reconnect = reconnect
    self.ping = ping
    self.deadPing = deadPing
    self.connectTimeout = connectTimeout
    self.token = token
    self.behave = behave
    self.cacheLimit = cacheLimit
    self.outboxLimit = outboxLimit
    self.startsOffline = startsOffline
  }

  /// Its clients' numbers.
  public var numbers: Range<UInt32> { first.number..<first.number + UInt32(clients) }

  /// When a client starts, from the run's beginning.
  public func start(of client: ClientID) -> Duration {
    let place = client.number >= first.number ? client.number - first.number : 0
    return .nanoseconds(Int64(Double(ramp.nanoseconds) * Double(place) / Double(max(clients, 1))))
  }

  /// Something a person calls a client by: `writers-17`.
  public func label(of client: ClientID) -> String { "\(name)-\(client.number &- first.number)" }
}

/// One query that every client of a fleet subscribes to.
public struct SubscriptionPlan: Hashable, Sendable {
  public var path: String
  public var arguments: ArgumentsTemplate
  /// What the audit asks instead of the same query.
  public var audit: AuditPlan?

  public init(path: String, arguments: ArgumentsTemplate, audit: AuditPlan? = nil) {
    self.path = path
    self.arguments = arguments
    self.audit = audit
  }
}

/// The query that an audit asks for a subscription whose own shows only a part of the data.
public struct AuditPlan: Hashable, Sendable {
  public var path: String
  /// Nil: those of the subscription.
  public var arguments: ArgumentsTemplate?
  /// Answers pages `{…, "cursor": …}`; the next is asked for with that `cursor` among the arguments, until it is null.
  public var paged: Bool

  public init(path: String, arguments: ArgumentsTemplate? = nil, paged: Bool) {
    self.path = path
    self.arguments = arguments
    self.paged = paged
  }
}

extension SessionContext {
  /// What this client subscribes to; the same each time it is asked.
  func wantedSubscriptions() -> [SubscriptionKey] {
    var random = random(.arguments, 1)
    return plan.subscriptions.map {
      SubscriptionKey(path: $0.path, arguments: $0.arguments.text(for: client, &random))
    }
  }

  /// The channels that this client wants from its start; the same each time it is asked.
  func wantedChannels() -> [String] {
    var random = random(.arguments, 3)
    return plan.channels.map { $0.text(for: client, &random) }
  }
}
