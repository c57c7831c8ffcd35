import Core
import Network
import TestSupport
import WebSocket

/// A WebSocket client and server connected over `transport`, each recorded.
///
/// @unchecked: confined to its transport's loop.
final class WebSocketPair: @unchecked Sendable {
  let client: WebSocketConnection
  let clientEvents: RecordingWebSocketHandler
  let server: WebSocketConnection
  let serverEvents: RecordingWebSocketHandler
  let http: HTTPServer

  private init(
    _ client: WebSocketConnection, _ clientEvents: RecordingWebSocketHandler, _ server: WebSocketConnection,
    _ serverEvents: RecordingWebSocketHandler, _ http: HTTPServer
  ) {
    self.client = client
    self.clientEvents = clientEvents
    self.server = server
    self.serverEvents = serverEvents
    self.http = http
  }

  static func make(
    _ transport: any Transport, _ address: SocketAddress, client: WebSocketOptions = WebSocketOptions(),
    server: WebSocketOptions = WebSocketOptions()
  ) async throws -> WebSocketPair {
    let serverEvents = RecordingWebSocketHandler(loop: transport.loop, label: "server")
    let accepted = Record<WebSocketConnection>()
    let http = HTTPServer(transport: transport) { _, responder in
      let connection = responder.upgrade(subprotocol: { $0.first }, options: server, handler: serverEvents)
      if let connection { accepted.values.append(connection) }
    }
    let listening = try http.listen(on: address)
    let clientEvents = RecordingWebSocketHandler(loop: transport.loop, label: "client")
    let connection = try await dial(transport, listening, options: client, handler: clientEvents)
    try await clientEvents.wait { !$0.events.isEmpty }
    guard let server = accepted.values.first else { throw NetworkError.closed }
    return WebSocketPair(connection, clientEvents, server, serverEvents, http)
  }

  static func dial(
    _ transport: any Transport, _ address: SocketAddress, options: WebSocketOptions = WebSocketOptions(),
    handler: RecordingWebSocketHandler
  ) async throws -> WebSocketConnection {
    let stream = try await transport.connect(to: address)
    var random = SeededRandom(seed: 1, purpose: .handshakeKey)
    return WebSocketConnection.connect(
      over: stream,
      handshake: ClientHandshake(host: "\(address)", target: "/", subprotocols: ["one", "two"], random: &random),
      maskKeys: SeededRandom(seed: 1, purpose: .masking), options: options, handler: handler)
  }
}
