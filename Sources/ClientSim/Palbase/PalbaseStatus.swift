import Core

/// The state of a client's socket, as the SDK shows it.
public struct PalbaseStatus: Hashable, Sendable {
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// Never opened: nothing has joined a channel yet.
    case idle
    /// Being opened.
    case connecting
    /// Open; the channels wanted are joined on it.
    case connected
    /// A channel is wanted and the socket is not open: it dropped or could not open, and is opened again after a pause.
    case reconnecting
    /// Closed by the client: someone signed out or in, or no channel is wanted.
    case disconnected
  }

  public var state: State
  /// When it last changed.
  public var since: Instant

  public init(_ state: State, since: Instant) {
    self.state = state
    self.since = since
  }
}
