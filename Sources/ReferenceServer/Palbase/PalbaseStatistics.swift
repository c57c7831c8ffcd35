/// What a palbase server has seen and done since it was made.
public struct PalbaseStatistics: Hashable, Sendable {
  /// Connections that were opened, are open now, and were refused at the upgrade.
  public var opened = 0
  public var open = 0
  public var refusedConnections = 0
  /// Messages of clients, those that were none of the protocol, and those of an event it does not name.
  public var messages = 0
  public var malformed = 0
  public var unknown = 0
  public var heartbeats = 0
  /// Joins that were let in, and that were refused.
  public var joins = 0
  public var refusedJoins = 0
  public var leaves = 0
  public var tokenRefreshes = 0
  /// Memberships that the server ended.
  public var endedMemberships = 0
  /// Broadcasts of members that were passed on, of the project's server, and copies sent.
  public var broadcasts = 0
  public var serverBroadcasts = 0
  public var deliveries = 0
  /// Changes of states, and whole states sent.
  public var changes = 0
  public var states = 0
  /// Broadcasts and state writes that were refused.
  public var refused = 0
  /// Connections closed for their silence.
  public var silenceCloses = 0
  /// Bytes of all states, and channels that somebody is on or that have a state.
  public var stateBytes = 0
  public var channels = 0

  public init() {}
}
