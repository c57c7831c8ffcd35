import Core
public import Network
public import WebSocket

/// What a proxy is told about its place and its limits.
public struct ProxyConfiguration: Sendable {
  /// Where every connection is passed on to.
  public var upstream: SocketAddress
  /// Where to listen; port 0 for any free one.
  public var listen: SocketAddress
  /// The scenario's seed.
  public var seed: UInt64
  /// Which of the run's loops (or workers) this is: the top bits of its connections' ids.
  public var loopIndex: Int
  /// Follow HTTP heads and WebSocket frames from the first byte. Otherwise bytes only pass, unless a fault needs frames.
  public var trackFrames: Bool
  /// Put messages together, so that they can be observed. Needs frames.
  public var assembleMessages: Bool
  public var caps: Caps
  /// Faults come and go while it runs (`Proxy.edit`): what a later one may have to know of a connection is kept.
  public var isSteered = false

  /// What a peer may make the proxy hold.
  public struct Caps: Sendable {
    /// The largest HTTP head, in bytes.
    public var headBytes = 64 * 1024
    /// Messages above these limits pass without being seen.
    public var message = WebSocketLimits()
    /// How long connecting to the upstream may take.
    public var connectTimeout = Duration.seconds(10)
    /// How long peers that were sent a FIN by a fault may take to end their own side.
    public var linger = Duration.seconds(10)
    public init() {}
  }

  public init(
    upstream: SocketAddress, listen: SocketAddress, seed: UInt64 = 1, loopIndex: Int = 0, trackFrames: Bool = true,
    assembleMessages: Bool = true, caps: Caps = Caps()
  ) {
    self.upstream = upstream
    self.listen = listen
    self.seed = seed
    self.loopIndex = loopIndex
    self.trackFrames = trackFrames
    self.assembleMessages = assembleMessages
    self.caps = caps
  }
}
