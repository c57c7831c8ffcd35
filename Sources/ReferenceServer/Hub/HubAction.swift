/// What the hub wants done, in order.
public enum HubAction: Equatable, Sendable {
  /// Send a whole text frame on the connection in that slot.
  case send(slot: Int, frame: [UInt8])
  /// End the connection with a close frame; nothing more is sent on it.
  case close(slot: Int, code: UInt16, reason: String)
}

/// What the server has seen and done since it was made.
public struct OnebaseStatistics: Hashable, Sendable {
  /// Connections that were opened, and are open now.
  public var opened = 0
  public var open = 0
  /// Messages of clients, those that were none of the protocol, and those of a type it does not name.
  public var messages = 0
  public var malformed = 0
  public var unknown = 0
  /// `auth` messages by outcome: accepted (also anonymous), failed for now, and ended.
  public var authAccepted = 0
  public var authFailed = 0
  public var authEnded = 0
  /// `sub` messages, and those that replaced a subscription.
  public var subscribes = 0
  public var replaced = 0
  /// Calls over the WebSocket, and over HTTP.
  public var calls = 0
  public var httpCalls = 0
  /// How often a query ran, for subscriptions and calls.
  public var queryRuns = 0
  /// Messages sent: updates on their own, results on their own, transitions.
  public var updates = 0
  public var results = 0
  public var transitions = 0
  /// Connections closed as idle.
  public var idleCloses = 0
  /// Bytes of stored notes.
  public var storedBytes = 0

  public init() {}
}
