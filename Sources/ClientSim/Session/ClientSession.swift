import Core

/// A client's behaviour as a value: events in, actions out; no I/O, no clock, no random that is not derived from the seed.
///
/// The shell gives it every event of its one connection (events of a connection that the session gave up do not come),
/// carries out the actions in order, and knows nothing of the protocol.
public protocol ClientSession {
  init(_ context: SessionContext)

  /// What happens at `now`, and what follows from it, appended to `actions`.
  mutating func handle(_ event: SessionEvent, at now: Instant, into actions: inout [SessionAction])

  /// How far the client is from having all it wants.
  var condition: SessionCondition { get }

  /// What each live subscription shows, for the audit; empty for protocols without subscriptions.
  var shownValues: [ShownValue] { get }
}

/// How far a client is from having all it wants; what settling waits for.
public struct SessionCondition: Hashable, Sendable {
  public enum Link: UInt8, Sendable {
    /// Not started, stopped, or offline by its own will.
    case off
    /// Was dropped or could not connect, and tries again.
    case reconnecting
    /// Open.
    case connected
  }

  public var link: Link
  /// Everything wanted is there: authenticated, each subscription has its first update. True when nothing is wanted.
  public var isLive: Bool
  /// Calls that were sent and not answered, or wait to be sent.
  public var unanswered: Int

  public init(link: Link, isLive: Bool, unanswered: Int) {
    self.link = link
    self.isLive = isLive
    self.unanswered = unanswered
  }
}

/// What one subscription shows now.
public struct ShownValue {
  /// Position of the subscription within the client.
  public var subscription: Int
  /// Path and canonical arguments.
  public var path: String
  public var arguments: String
  public var key: UInt64
  /// Nil where nothing was shown yet.
  public var value: SharedValue?
}
