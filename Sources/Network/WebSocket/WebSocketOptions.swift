import WebSocket

/// Limits and times of a WebSocket connection. Sizes are bytes.
public struct WebSocketOptions: Sendable {
  /// What the peer may send.
  public var limits = WebSocketLimits()
  /// What may wait to be sent; beyond it the connection fails, since the peer reads too slowly.
  public var sendQueueLimit = 4 << 20
  /// After more than this waited to be sent, `.writable` tells when no more than this does.
  public var sendQueueLowMark = 64 << 10
  /// From the request until its answer is complete (client).
  public var handshakeTimeout: Duration = .seconds(10)
  /// From our close frame until TCP has ended.
  public var closeTimeout: Duration = .seconds(5)
  /// Whether pings are answered with pongs without asking anybody.
  public var repliesToPing = true
  /// Whether the peer's close frame is answered, and the connection then closed, without asking anybody.
  public var repliesToClose = true

  public init() {}
}
