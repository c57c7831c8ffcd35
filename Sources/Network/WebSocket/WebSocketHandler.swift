import WebSocket

/// Who is told what happens on a WebSocket connection. Called on its loop, never from inside a call to the connection.
///
/// A call may send, close and abort; it must not read another stream into the loop's scratch buffer, whose bytes may
/// still be in use.
public protocol WebSocketHandler: AnyObject {
  func webSocket(_ connection: WebSocketConnection, _ event: WebSocketConnectionEvent)
}

public enum WebSocketConnectionEvent: Sendable {
  /// The server has accepted the upgrade with this 101 (clients only: a server's connection begins open).
  case opened(HTTPResponseHead)
  /// The server answered the upgrade request with another status; `.closed` follows.
  case refused(HTTPResponseHead)
  case message(isText: Bool, payload: [UInt8])
  case ping([UInt8])
  case pong([UInt8])
  /// What waits to be sent has shrunk to the low mark.
  case writable
  /// The connection is over: exactly once, and last.
  case closed(WebSocketClosure)
}
