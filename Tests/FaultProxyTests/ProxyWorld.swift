import Core
import FaultProxy
import Network
import Protocols
import TestSupport
import WebSocket

/// A proxy on the in-memory network between peers that tests drive. The network adds 1 ms each way.
///
/// @unchecked: confined to its loop.
final class ProxyWorld: @unchecked Sendable {
  static let upstreamAddress = SocketAddress.memory("server", port: 80)
  static let proxyAddress = SocketAddress.memory("proxy", port: 80)

  let world: VirtualWorld
  let proxy: Proxy
  let seen = Seen()
  /// Connections that reached the server, in order.
  private(set) var servers: [Peer] = []
  /// Kept, since a stream that nobody holds is closed.
  private var clients: [Peer] = []
  private var listener: (any Listener)?
  private var nextPort: UInt16 = 1000

  /// @unchecked: confined to its world's loop.
  final class Seen: @unchecked Sendable {
    var all: [Observation] = []
    var edges: [String] = []
  }

  init(
    _ faults: [FaultEntry] = [], seed: UInt64 = 1, latency: Duration = .milliseconds(1), capacity: Int = 65536,
    protocolName: ProtocolName? = .echo, observes: Bool = true, trackFrames: Bool = true,
    configure: (inout ProxyConfiguration) -> Void = { _ in }
  ) {
    world = VirtualWorld(seed: seed, latency: latency, capacity: capacity)
    var configuration = ProxyConfiguration(
      upstream: Self.upstreamAddress, listen: Self.proxyAddress, seed: seed, trackFrames: trackFrames)
    configure(&configuration)
    let seen = seen
    proxy = Proxy(
      transport: world.transport, configuration: configuration, timeline: FaultTimeline(faults),
      classifier: protocolName?.classifier, observe: observes ? { seen.all.append($0) } : nil)
    proxy.edges = { edge, entry, at in seen.edges.append("\(entry.name) \(edge.edge) \(at)") }
  }

  var loop: EventLoop { world.loop }
  var now: Instant { world.now }

  /// Runs `body` with the server listening, the proxy started and its timeline at the epoch.
  func run(upstream: Bool = true, _ body: @escaping @Sendable () async throws -> Void) throws {
    try world.run { [self] in
      if upstream {
        listener = try world.transport.listen(on: Self.upstreamAddress) { [self] in servers.append(Peer($0)) }
      }
      try proxy.start()
      proxy.begin(at: .zero)
      try await body()
      proxy.close()
      listener?.close()
    }
  }

  func sleep(_ duration: Duration) async throws { try await world.sleep(duration) }
  func sleep(until instant: Instant) async throws { try await world.loop.sleep(until: instant) }

  /// Connects a client, as one of ours if it has a number.
  func connect(client: UInt32? = nil) async throws -> Peer {
    let peer = Peer(
      try await world.transport.connect(to: Self.proxyAddress) { [self] local in
        if let client { proxy.expect(local: local, client: ClientID(client), fleet: 0) }
      })
    clients.append(peer)
    return peer
  }

  /// A client and the server's end of its connection.
  func pair(client: UInt32? = nil) async throws -> (client: Peer, server: Peer) {
    let count = servers.count
    let peer = try await connect(client: client)
    try await sleep(.milliseconds(5))
    return (peer, servers[count])
  }

  /// The same after a WebSocket handshake; what was received of it is forgotten.
  func webSocket(client: UInt32? = nil) async throws -> (client: Peer, server: Peer) {
    let pair = try await pair(client: client)
    pair.client.write(Self.request().serialize())
    try await sleep(.milliseconds(5))
    pair.server.write(Self.response)
    try await sleep(.milliseconds(5))
    pair.client.forget()
    pair.server.forget()
    return pair
  }

  static func request(_ headers: [HeaderField] = []) -> HTTPRequestHead {
    ClientHandshake(
      host: "server", target: "/api/sync", headers: headers, key: Array(0..<16)
    ).request
  }

  static var response: [UInt8] {
    guard case .accept(let head, _) = ServerHandshake.respond(to: request()) else { return [] }
    return head.serialize()
  }

  /// Everything observed on the wire, one line each: side, direction, what, disposition, faults.
  var lines: [String] { seen.all.filter { $0.source == .wire }.map(Self.line) }
  /// The same since there were `count` of them.
  func lines(since count: Int) -> [String] { Array(lines.dropFirst(count)) }

  static func line(_ observation: Observation) -> String {
    var text = "\(observation.side) \(observation.direction) \(name(observation.event))"
    if observation.disposition != .passed { text += " \(observation.disposition)" }
    if !observation.faults.isEmpty { text += " \(observation.faults.ordinals)" }
    return text
  }

  static func name(_ event: Observation.Event) -> String {
    switch event {
    case .attempt: "attempt"
    case .upstreamConnected: "upstreamConnected"
    case .upstreamFailed(let reason): "upstreamFailed(\(reason))"
    case .upgradeRequest(let request): "upgradeRequest(\(request.target))"
    case .upgradeResponse(let response): "upgradeResponse(\(response.status))"
    case .ended(let ending): "ended(\(ending.how) by \(ending.by))"
    case .message(let message): "message(\(String(decoding: message.payload, as: UTF8.self)))"
    case .ping(let payload): "ping(\(String(decoding: payload, as: UTF8.self)))"
    case .pong(let payload): "pong(\(String(decoding: payload, as: UTF8.self)))"
    case .closeFrame(let code, let reason): "closeFrame(\(code.map { "\($0)" } ?? "-") \(reason))"
    case .violation: "violation"
    case .intent, .http, .audit, .fault, .run: "other"
    }
  }

  func application(_ ordinal: Int) -> FaultApplication { proxy.applications[ordinal] }
}

extension FaultEntry {
  /// For tests: from `at` milliseconds, for so many.
  static func test(
    _ fault: any Fault, at: Int, for length: Int? = nil, target: FaultTarget = .all, direction: FaultDirection? = nil,
    ordinal: Int = 0, name: String? = nil
  ) -> FaultEntry {
    FaultEntry(
      ordinal: ordinal, name: name, trigger: .at(.milliseconds(at), for: length.map { .milliseconds($0) }),
      target: target, direction: direction, fault: fault)
  }
}

/// What a run leaves behind for the test that made it.
///
/// @unchecked: written on the world's loop, read when that has ended.
final class Kept<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}
