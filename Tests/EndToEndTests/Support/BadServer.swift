import Core
import Dispatch
import JSON
import Network
import ReferenceServer
import Synchronization

@testable import WebSocket

/// What a server can do wrong on the wire.
enum Badness: String, CaseIterable, Sendable {
  /// Accepts and says nothing.
  case hangs
  case answers404
  case answers200
  case answersNoHTTP
  /// A 101 for another client's key.
  case wrongAccept
  case closesAtOnce
  case resetsAtOnce
  /// Answers the upgrade, then closes.
  case closesAfterUpgrade
  case reservedBits
  case unknownOpcode
  case masked
  case invalidUTF8
  /// The head of a frame of 100 MB, and then bytes without end.
  case hugeFrame
  case fragmentsWithoutEnd
  case nonJSON
  case binary
  /// JSON that is no message of the protocol.
  case unknownType
  /// Says the token it got in every place it has.
  case tellsToken
}

/// A server on a thread of its own that misbehaves, to everyone or to every second connection.
///
/// @unchecked: confined to its loop after `init`; `stop` ends the loop's thread first.
final class BadServer: @unchecked Sendable {
  let address: SocketAddress
  private let loop: EventLoop
  private let transport: SharingTransport
  /// Who keeps the listener.
  private let owner: AnyObject

  /// Connections so far.
  var connections: Int { transport.accepted.load(ordering: .relaxed) }
  var url: String { "ws://\(address)/api/sync" }

  /// - Parameters:
  ///   - badness: nil for a server that does everything right.
  ///   - every: which connections are treated badly: 1 for each, 2 for every second; a good server has the others.
  init(_ badness: Badness?, every: Int = 1) throws {
    loop = EventLoop(clock: .monotonic)
    // Before its thread starts the loop belongs to nobody.
    transport = SharingTransport(TCPTransport(loop: loop), badness, every: every)
    let server = OnebaseServer(transport: transport)
    address = try server.start(on: .loopback(port: 0))
    owner = server
    loop.start()
  }

  /// Connections that are open now, of those that a good server has.
  var open: Int {
    let answer = DispatchSemaphore(value: 0)
    let count = Atomic(0)
    loop.post { [self] in
      count.store(transport.peers.count { !$0.isClosed && $0.peerGone == .present }, ordering: .relaxed)
      answer.signal()
    }
    answer.wait()
    return count.load(ordering: .relaxed)
  }

  func stop() {
    loop.stop()
    loop.join()
    (owner as? OnebaseServer)?.close()
  }
}

/// TCP of which some connections are taken away and treated badly.
///
/// @unchecked: confined to its loop.
private final class SharingTransport: Transport, @unchecked Sendable {
  private let inner: TCPTransport
  private let badness: Badness?
  private let every: Int
  private var bad: [BadConnection] = []
  private(set) var peers: [ByteStream] = []
  let accepted = Atomic(0)

  init(_ inner: TCPTransport, _ badness: Badness?, every: Int) {
    self.inner = inner
    self.badness = badness
    self.every = every
  }

  var loop: EventLoop { inner.loop }

  func listen(on address: SocketAddress, backlog: Int, _ accepted: @escaping (ByteStream) -> Void)
    throws(NetworkError) -> any Listener
  {
    try inner.listen(on: address, backlog: backlog) { [unowned self] stream in
      let number = self.accepted.wrappingAdd(1, ordering: .relaxed).newValue
      if let badness, number % every == 0 {
        bad.removeAll { $0.isOver }
        bad.append(BadConnection(stream, badness))
      } else {
        peers.append(stream)
        accepted(stream)
      }
    }
  }

  func connect(
    to address: SocketAddress, from source: SocketAddress?, timeout: Duration?, bound: ((SocketAddress) -> Void)?,
    _ completion: @escaping (Result<ByteStream, NetworkError>) -> Void
  ) -> ConnectHandle {
    inner.connect(to: address, from: source, timeout: timeout, bound: bound, completion)
  }

  func resolve(host: String, port: UInt16) async throws(NetworkError) -> [SocketAddress] {
    try await inner.resolve(host: host, port: port)
  }
}

/// One connection to a bad server.
private final class BadConnection: ByteStreamHandler {
  private let stream: ByteStream
  private let badness: Badness
  private var request: [UInt8] = []
  private var isAnswered = false
  private var output: [UInt8] = []
  /// Bytes still to come of a frame that has no end worth waiting for.
  private var flood = 0
  private(set) var isOver = false

  init(_ stream: ByteStream, _ badness: Badness) {
    self.stream = stream
    self.badness = badness
    stream.handler = self
    switch badness {
    case .closesAtOnce: end { $0.close() }
    case .resetsAtOnce: end { $0.reset() }
    default: break
    }
  }

  private func end(_ how: (ByteStream) -> Void) {
    isOver = true
    how(stream)
  }

  func readable(_ stream: ByteStream) {
    while !isOver {
      guard let result = try? stream.read(into: stream.loop.scratch) else { return end { $0.close() } }
      switch result {
      case .wouldBlock: return
      case .end: return end { $0.close() }
      case .bytes(let count):
        if request.count < 65536 { request.append(contentsOf: stream.loop.scratch[..<count]) }
        if !isAnswered, let text = head { answer(text) }
        if badness == .tellsToken { tellToken() }
      }
    }
  }

  private var head: String? {
    let text = String(decoding: request, as: UTF8.self)
    return text.contains("\r\n\r\n") ? text : nil
  }

  private func answer(_ head: String) {
    isAnswered = true
    switch badness {
    case .hangs, .closesAtOnce, .resetsAtOnce: return
    case .answers404: say("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    case .answers200: say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    case .answersNoHTTP: say("220 mail.example.com ESMTP\r\n")
    case .wrongAccept: upgrade(key: "AAAAAAAAAAAAAAAAAAAAAA==")
    default:
      let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("sec-websocket-key:") }
      upgrade(key: line.map { $0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }.description } ?? "")
      afterUpgrade()
    }
  }

  private func upgrade(key: String) {
    say(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(AcceptKey.accept(for: key))\r\n\r\n")
  }

  private func afterUpgrade() {
    switch badness {
    case .closesAfterUpgrade: end { $0.close() }
    case .reservedBits: send([0xF1, 0x02, 0x7B, 0x7D])
    case .unknownOpcode: send([0x83, 0x02, 0x7B, 0x7D])
    case .masked: send([0x81, 0x82, 1, 2, 3, 4, 0x7A, 0x7F])
    case .invalidUTF8: send([0x81, 0x04, 0x22, 0xC3, 0x28, 0x22])
    case .hugeFrame:
      send([0x81, 127, 0, 0, 0, 0, 0x05, 0xF5, 0xE1, 0x00])
      flood = 100_000_000
    case .fragmentsWithoutEnd:
      send([0x01, 0x01, 0x20])
      flood = 100_000_000
    case .nonJSON: frame("hello, world")
    case .binary: send([0x82, 0x03, 1, 2, 3])
    case .unknownType: frame(#"{"type":"weather","sky":"blue"}"#)
    default: break
    }
    writable(stream)
  }

  /// Once a whole auth message can be seen: refuses it with its own token in it, and more of the same.
  private func tellToken() {
    guard let start = request.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A])?.upperBound else { return }
    let frames = Array(request[start...])
    guard frames.count > 6, frames[1] & 0x7F < 126, frames.count >= 6 + Int(frames[1] & 0x7F) else { return }
    let mask = frames[2..<6]
    let payload = frames[6..<6 + Int(frames[1] & 0x7F)].enumerated().map { $1 ^ mask[2 + $0 % 4] }
    request = [0x0D, 0x0A, 0x0D, 0x0A]
    guard let token = (try? JSONValue.parse(payload))?["token"]?.string else { return }
    func say(_ type: String, _ members: JSONObject) {
      var object: JSONObject = ["type": .string(type)]
      for member in members.members { object[member.key] = member.value }
      frame(JSONValue.object(object).text)
    }
    say("auth", ["ok": false, "error": .string("\(token) is no good")])
    say("auth", ["ok": false, "error": .string("\(token) is no good, twice")])
    say("update", ["id": 1, "ok": false, "error": .string("\(token) may not")])
    say("update", ["id": 1, "ok": true, "value": ["you": .string(token)]])
    let filler = String(repeating: "x", count: 45)
    say("result", ["requestId": 1, "ok": false, "error": .string(filler + token)])
    say("result", ["requestId": 1, "ok": true, "value": .string(token)])
    say(token, [:])
  }

  private func frame(_ text: String) {
    var bytes: [UInt8] = []
    FrameWriter.write(.text, payload: Array(text.utf8), into: &bytes)
    send(bytes)
  }

  private func say(_ text: String) { send(Array(text.utf8)) }

  private func send(_ bytes: [UInt8]) {
    output += bytes
    flush()
  }

  private func flush() {
    guard !output.isEmpty, !isOver else { return }
    guard let count = try? stream.write(output) else { return end { $0.close() } }
    output.removeFirst(count)
  }

  func writable(_ stream: ByteStream) {
    flush()
    while flood > 0, output.isEmpty, !isOver {
      let chunk: [UInt8] =
        badness == .hugeFrame
        ? [UInt8](repeating: 0x20, count: 65536)
        : [0x00, 127, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 0x20, count: 65536)
      flood -= chunk.count
      send(chunk)
    }
  }
}
