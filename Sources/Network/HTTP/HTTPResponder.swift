import Core
import WebSocket

/// The answer to one request: respond, upgrade or abort, once, now or later. One that is dropped answers 500.
///
/// @unchecked: confined to its connection's loop.
public final class HTTPResponder: @unchecked Sendable {
  private var connection: HTTPServerConnection?
  private let request: HTTPRequestHead
  /// Where the request came from, and where it arrived.
  public let peer: SocketAddress
  public let local: SocketAddress

  init(_ connection: HTTPServerConnection, _ request: HTTPRequestHead) {
    self.connection = connection
    self.request = request
    peer = connection.stream.peer
    local = connection.stream.local
  }

  deinit { if connection != nil { respond(HTTPResponse(status: 500)) } }

  /// Whether nothing has been answered and the peer is still there to hear it.
  public var isPending: Bool { connection.map { !$0.isOver } ?? false }

  /// Whether the request asks for a WebSocket.
  public var isUpgrade: Bool { ServerHandshake.isUpgrade(request) }

  /// Answers. `Content-Length` is added; the connection stays open unless either side says `Connection: close`.
  public func respond(_ response: HTTPResponse) { take()?.respond(response) }

  /// Accepts the upgrade to a WebSocket: sends the 101 and hands the stream over. Nil if the request was not a proper
  /// upgrade, which has then been answered with what was wrong.
  ///
  /// - `subprotocol`: picks one of those offered, in the client's order; nil for none.
  /// - `headers`: further fields of the 101.
  public func upgrade(
    headers: [HeaderField] = [], subprotocol choose: ([String]) -> String? = { _ in nil },
    options: WebSocketOptions = WebSocketOptions(), handler: any WebSocketHandler
  ) -> WebSocketConnection? {
    guard let connection = take() else { return nil }
    switch ServerHandshake.respond(to: request, headers: headers, subprotocol: choose) {
    case .accept(let head, let subprotocol):
      let webSocket = connection.upgrade(head, options, handler)
      webSocket?.subprotocol = subprotocol
      return webSocket
    case .reject(let head, let reason):
      connection.respond(
        HTTPResponse(status: head.status, headers: head.headers, body: Array("\(reason)\n".utf8)), closing: true)
      return nil
    }
  }

  /// Ends the connection without an answer, with an RST.
  public func abort() { take()?.stream.reset() }

  /// Ends the connection without an answer, with a FIN.
  public func closeWithoutAnswer() {
    if let connection = take() { connection.end() }
  }

  private func take() -> HTTPServerConnection? {
    defer { connection = nil }
    return connection.flatMap { $0.isOver ? nil : $0 }
  }
}
