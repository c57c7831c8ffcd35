import Core
import Network

/// One client of the onebase server: passes what its socket tells on to the server.
///
/// @unchecked: confined to its loop.
final class OnebaseConnection: ServedConnection, @unchecked Sendable {
  /// Until the connection is over.
  private var server: OnebaseServer?
  /// Tells it from earlier connections that had its slot.
  let number: UInt64

  init(server: OnebaseServer, number: UInt64) {
    self.server = server
    self.number = number
    super.init(loop: server.loop)
  }

  override func webSocket(_ connection: WebSocketConnection, _ event: WebSocketConnectionEvent) {
    switch event {
    case .message(let isText, let payload):
      noteFrame()
      server?.received(self, isText: isText, payload: payload)
    case .ping, .pong: noteFrame()
    case .closed:
      server?.ended(self)
      server = nil
    case .opened, .refused, .writable: break
    }
  }

  override func becameIdle() { server?.becameIdle(self) }
}
