import Core
import JSON
import Network
import Protocols
import WebSocket

/// A client of a server under test: sends onebase messages or anything else, and notes what comes, with its time.
///
/// @unchecked: confined to its loop.
final class TestClient: WebSocketHandler, @unchecked Sendable {
  private(set) var opened = false
  private(set) var refused: HTTPResponseHead?
  private(set) var messages: [(payload: [UInt8], at: Instant)] = []
  private(set) var pongs: [(payload: [UInt8], at: Instant)] = []
  private(set) var closure: WebSocketClosure?
  private(set) var closedAt: Instant?
  private var socket: WebSocketConnection?
  private let loop: EventLoop
  private let waiter: Waiter

  private init(loop: EventLoop) {
    self.loop = loop
    waiter = Waiter(loop: loop, label: "test client")
  }

  /// Connects and waits for the upgrade's answer.
  static func connect(
    _ transport: any Transport, to address: SocketAddress, path: String = "/api/sync"
  ) async throws -> TestClient {
    let client = TestClient(loop: transport.loop)
    let stream = try await transport.connect(to: address)
    let handshake = ClientHandshake(host: "test", target: path, key: Array(1...16))
    client.socket = WebSocketConnection.connect(
      over: stream, handshake: handshake, maskKeys: SeededRandom(seed: 1, purpose: .masking), handler: client)
    try await client.wait { $0.opened || $0.closure != nil }
    return client
  }

  func send(_ message: OnebaseClientMessage) { socket?.send(text: message.encoded) }
  func send(text: String) { socket?.send(text: text) }
  func ping(_ payload: [UInt8] = []) { socket?.ping(payload) }
  func close() { socket?.close() }
  func abort() { socket?.abort() }

  /// What the server said so far, decoded.
  var answers: [OnebaseServerMessage] { messages.compactMap { try? OnebaseServerMessage.decode($0.payload) } }

  func wait(until condition: (TestClient) -> Bool) async throws { while !condition(self) { try await waiter.wait() } }
  func wait(messages count: Int) async throws { try await wait { $0.messages.count >= count } }
  func waitForClose() async throws { try await wait { $0.closure != nil } }

  func webSocket(_ connection: WebSocketConnection, _ event: WebSocketConnectionEvent) {
    switch event {
    case .opened: opened = true
    case .refused(let head): refused = head
    case .message(_, let payload): messages.append((payload, loop.now))
    case .pong(let payload): pongs.append((payload, loop.now))
    case .closed(let closure):
      self.closure = closure
      closedAt = loop.now
      socket = nil
    case .ping, .writable: break
    }
    waiter.signal()
  }
}
