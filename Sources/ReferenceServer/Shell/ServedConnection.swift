import Core
import Network

/// A WebSocket that a server serves: its slot, and the timer that closes it when nothing has come or gone for a while.
///
/// @unchecked: confined to its loop.
class ServedConnection: LoopTimer, WebSocketHandler, @unchecked Sendable {
  /// Nil until the upgrade has been answered, and again once it is over.
  @exclusivity(unchecked) final var webSocket: WebSocketConnection?
  /// Its place in the server's table.
  final var slot = 0
  /// The last frame in either direction.
  @exclusivity(unchecked) private final var lastFrame: Instant = .zero
  private final var idleTimeout: Duration?
  // The server holds its transport, and with it the loop.
  unowned(unsafe) private let loop: EventLoop

  init(loop: EventLoop) { self.loop = loop }

  /// Begins to count idle time; nil: never idle.
  final func begin(idleTimeout: Duration?) {
    self.idleTimeout = idleTimeout
    lastFrame = loop.now
    if let idleTimeout { loop.arm(self, at: lastFrame + idleTimeout) }
  }

  /// A frame has passed. The timer is moved when it fires, not with each frame.
  final func noteFrame() { lastFrame = loop.now }

  final override func fire() {
    guard let idleTimeout else { return }
    if loop.now - lastFrame >= idleTimeout { becameIdle() } else { loop.arm(self, at: lastFrame + idleTimeout) }
  }

  /// Stops the timer and lets go of the socket.
  final func end() {
    loop.disarm(self)
    webSocket = nil
  }

  /// Nothing has passed for the whole timeout.
  func becameIdle() {}

  func webSocket(_ connection: WebSocketConnection, _ event: WebSocketConnectionEvent) {}
}
