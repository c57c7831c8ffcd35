import Core
import Metrics

/// How one fleet is doing now, on one loop: what a live line shows.
public struct FleetGauge: Sendable {
  public var name: String
  /// Clients on this loop, and how many of them have been started.
  public var clients = 0
  public var started = 0
  public var connected = 0
  public var reconnecting = 0
  /// Not started, stopped, or offline by their own will.
  public var off = 0
  public var messagesIn: UInt64 = 0
  public var messagesOut: UInt64 = 0
  public var errors: UInt64 = 0
  /// The last calls, from their intended send.
  public var recentCalls = RecentWindow()
}
