import Core
import Protocols

/// What a client is told to do, by its workload, by the scenario's timeline or at the end of the run.
public enum SessionCommand: Sendable {
  /// Wants one subscription more; or no longer.
  case subscribe(SubscriptionKey)
  case unsubscribe(SubscriptionKey)
  case call(CallRequest)
  /// Simulates a restart of the client's process: memory is gone, what is persisted stays.
  case restart
  /// Closes and stays away, as a phone in flight mode does; or comes back.
  case goOffline
  case goOnline
  /// Another user signs in (nil: signs out): takes effect with a new connection.
  case signIn(token: String?)
  /// What only palbase clients know.
  case palbase(PalbaseCommand)
  /// A fresh query, outside the metrics.
  case audit(AuditQuery)
  /// The run is over: what is still out is counted as such, and the connection closed.
  case stop
}

/// One call that is to be made.
public struct CallRequest: Sendable {
  public var plan: CallPlan
  /// The arguments as canonical JSON.
  public var arguments: [UInt8]
  /// What its effect can be found by, if its arguments carry one.
  public var marker: Marker?
  /// When it was meant to be made, by the schedule.
  public var intended: Instant
  /// The subscriptions that are to show it (hashes of `SubscriptionKey`).
  public var seenBy: [UInt64]

  public init(plan: CallPlan, arguments: [UInt8], marker: Marker?, intended: Instant, seenBy: [UInt64] = []) {
    self.plan = plan
    self.arguments = arguments
    self.marker = marker
    self.intended = intended
    self.seenBy = seenBy
  }
}

/// A query of the audit.
public struct AuditQuery: Sendable {
  /// Carried back by the answer.
  public var id: Int
  public var path: String
  /// Canonical JSON.
  public var arguments: [UInt8]

  public init(id: Int, path: String, arguments: [UInt8]) {
    self.id = id
    self.path = path
    self.arguments = arguments
  }
}
