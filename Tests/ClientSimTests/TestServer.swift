import Core
import JSON
import Network
import Protocols
import WebSocket

/// A small peer for the shell's tests: a onebase server of one function file, an echo, or something worse.
///
/// @unchecked: confined to its transport's loop.
final class TestServer: @unchecked Sendable {
  enum Manner {
    case onebase, echo
    /// Answers the upgrade with this status.
    case refuse(Int, [HeaderField])
    /// Answers the upgrade request with these bytes.
    case answer([UInt8])
    /// Sends these bytes right behind the 101.
    case behind([UInt8])
    /// Sends this text message first of all.
    case text(String)
    case closeAtOnce
    case hang
  }

  static let address = SocketAddress.loopback(port: 4000)

  let loop: EventLoop
  var manner: Manner
  /// What comes in this time is looked at when it is over.
  var frozen: Range<Instant>?
  var answersPings = true
  /// Pretends to have stored this note, and has not.
  var losesNote: ((String) -> Bool)?
  /// All client messages, in the order they came.
  private(set) var received: [(client: SocketAddress, text: String)] = []
  private(set) var accepted = 0
  private var rooms: [String: [String]] = [:]
  private var peers: [TestPeer] = []
  private var listener: (any Listener)?
  private var http: HTTPServer?
  /// Kept, so that they are never answered.
  private var hanging: [HTTPResponder] = []
  private var raw: [RawPeer] = []

  init(_ transport: any Transport, _ manner: Manner, on address: SocketAddress = TestServer.address) throws {
    loop = transport.loop
    self.manner = manner
    http = HTTPServer(transport: transport) { [unowned self] _, responder in self.answer(responder) }
    listener = try transport.listen(on: address) { [unowned self] stream in
      self.accepted += 1
      switch self.manner {
      case .closeAtOnce: stream.close()
      case .answer(let bytes): self.raw.append(RawPeer(stream, bytes))
      default: self.http?.serve(stream)
      }
    }
  }

  private func answer(_ responder: HTTPResponder) {
    switch manner {
    case .refuse(let status, let fields):
      responder.respond(HTTPResponse(status: status, headers: HTTPHeaders(fields)))
    case .hang: hanging.append(responder)
    default:
      let peer = TestPeer(responder.peer, self)
      var options = WebSocketOptions()
      options.repliesToPing = answersPings
      peer.connection = responder.upgrade(options: options, handler: peer)
      peers.append(peer)
      if case .behind(let bytes) = manner { peer.connection?.send(raw: bytes) }
      if case .text(let text) = manner { peer.send(text) }
    }
  }

  var listeningOn: SocketAddress { listener?.address ?? Self.address }
  var open: Int { peers.count { !$0.isOver } }
  func resetAll() { for peer in peers { peer.reset() } }
  func stopListening() { listener?.close() }
  func listenAgain() throws { try listener?.reopen() }

  func message(_ text: String, from peer: TestPeer) {
    received.append((peer.address, text))
    if let frozen, frozen.contains(loop.now) {
      // A frozen process reads what came meanwhile in order, at once.
      let timer = CallbackTimer { [weak self, weak peer] in
        if let peer { self?.handle(text, from: peer) }
      }
      loop.arm(timer, at: frozen.upperBound)
    } else {
      handle(text, from: peer)
    }
  }

  private func handle(_ text: String, from peer: TestPeer) {
    if case .echo = manner { return peer.send(text) }
    guard let message = try? OnebaseClientMessage.decode(Array(text.utf8)) else { return }
    switch message {
    case .auth(let token):
      let identity: JSONValue = token.map { ["subject": .string($0)] } ?? .null
      peer.send(OnebaseServerMessage.authenticated(identity: identity))
    case .subscribe(let id, _, let arguments):
      let room = arguments["room"]?.string ?? ""
      peer.subscriptions.append((id, room))
      peer.send(.update(OnebaseUpdate(id: id, outcome: .ok(value: value(of: room)))))
    case .unsubscribe(let id): peer.subscriptions.removeAll { $0.id == id }
    case .call(let request, _, let path, let arguments): call(request, path, arguments, from: peer)
    }
  }

  private func value(of room: String) -> JSONValue {
    ["room": .string(room), "notes": .array((rooms[room] ?? []).suffix(20).map { .string($0) })]
  }

  private func call(_ request: Int64, _ path: String, _ arguments: JSONValue, from peer: TestPeer) {
    let room = arguments["room"]?.string ?? ""
    func answer(_ value: JSONValue) -> OnebaseResult { OnebaseResult(requestId: request, outcome: .ok(value: value)) }
    switch path {
    case "notes:add":
      let text = arguments["text"]?.string ?? ""
      if losesNote?(text) != true { rooms[room, default: []].append(text) }
      for other in peers where !other.isOver {
        let updates = other.subscriptions.filter { $0.room == room }.map {
          OnebaseUpdate(id: $0.id, outcome: .ok(value: value(of: room)))
        }
        if other === peer {
          other.send(.transition(updates: updates, results: [answer(.null)]))
        } else {
          for update in updates { other.send(.update(update)) }
        }
      }
    case "notes:list": peer.send(.result(answer(value(of: room))))
    case "notes:scan":
      let from = Int(arguments["cursor"]?.integer ?? 0)
      let notes = rooms[room] ?? []
      let page = notes.dropFirst(from).prefix(7)
      let cursor: JSONValue = from + 7 < notes.count ? .integer(Int64(from + 7)) : .null
      peer.send(.result(answer(["page": .array(page.map { .string($0) }), "cursor": cursor])))
    default:
      peer.send(.result(OnebaseResult(requestId: request, outcome: .failed(error: "no such function", data: nil))))
    }
  }
}

/// One WebSocket of the test server.
///
/// @unchecked: confined to its stream's loop.
final class TestPeer: WebSocketHandler, @unchecked Sendable {
  let address: SocketAddress
  var connection: WebSocketConnection?
  var subscriptions: [(id: Int64, room: String)] = []
  private(set) var isOver = false
  private unowned let server: TestServer

  init(_ address: SocketAddress, _ server: TestServer) {
    self.address = address
    self.server = server
  }

  func webSocket(_ connection: WebSocketConnection, _ event: WebSocketConnectionEvent) {
    switch event {
    case .message(_, let payload): server.message(String(decoding: payload, as: UTF8.self), from: self)
    case .closed: end()
    default: break
    }
  }

  func send(_ message: OnebaseServerMessage) { connection?.send(text: message.encoded) }
  func send(_ text: String) { connection?.send(text: text) }

  func reset() {
    connection?.handler = nil
    connection?.abort()
    end()
  }

  private func end() {
    isOver = true
    connection = nil
    subscriptions = []
  }
}

/// Answers whatever comes with some bytes, and closes.
///
/// @unchecked: confined to its stream's loop.
final class RawPeer: ByteStreamHandler, @unchecked Sendable {
  private let stream: ByteStream
  private let bytes: [UInt8]

  init(_ stream: ByteStream, _ bytes: [UInt8]) {
    self.stream = stream
    self.bytes = bytes
    stream.handler = self
  }

  func readable(_ stream: ByteStream) {
    guard case .bytes? = try? stream.read(into: stream.loop.scratch) else { return }
    _ = try? stream.write(bytes)
    stream.close()
  }

  func writable(_ stream: ByteStream) {}
}
