import Core
import FaultProxy
import JSON
import Network
import TestSupport
import Testing
import WebSocket

/// A set of proxies with its control API on the in-memory network, and a client that speaks to it.
///
/// @unchecked: confined to its loop.
final class ControlWorld: @unchecked Sendable {
  let world = VirtualWorld()
  let set: ProxySet
  private let control: ControlServer
  private let http: ByteStreamHTTPClient
  private var listener: (any Listener)?
  private(set) var servers: [Peer] = []
  private var clients: [Peer] = []

  init(trackFrames: Bool = false) {
    var options = ProxySet.Options()
    options.trackFrames = trackFrames
    set = ProxySet(transport: world.transport, options: options)
    control = ControlServer(set, transport: world.transport, version: "test")
    http = ByteStreamHTTPClient(transport: world.transport)
  }

  /// Runs `body` with one proxy, "web", to a server.
  func run(_ body: @escaping @Sendable () async throws -> Void) throws {
    try world.run { [self] in
      listener = try world.transport.listen(on: .loopback(port: 4000)) { [self] in servers.append(Peer($0)) }
      try set.add(
        ProxySet.Specification(
          name: "web", listen: .loopback(port: 8080), upstream: UpstreamName(host: "127.0.0.1", port: 4000)))
      try control.listen(on: .memory("control", port: 8474))
      try await body()
      http.closeIdle()
      control.close()
      set.close()
      listener?.close()
    }
  }

  /// The status and the body of an answer.
  @discardableResult
  func call(_ method: String, _ target: String, _ body: String = "", _ headers: [HeaderField] = []) async throws -> (
    status: Int, json: JSONValue, text: String
  ) {
    let request = HTTPRequest(
      method: method, target: target, headers: HTTPHeaders(headers), body: Array(body.utf8))
    let answer = try await http.send(request, to: HTTPOrigin(host: "control", port: 8474))
    let text = String(decoding: answer.body, as: UTF8.self)
    return (answer.status, (try? JSONValue.parse(answer.body)) ?? .null, text)
  }

  func connect(port: UInt16 = 8080) async throws -> Peer {
    let peer = Peer(try await world.transport.connect(to: .loopback(port: port)))
    clients.append(peer)
    return peer
  }

  /// A client and the server's end of its connection.
  func pair(port: UInt16 = 8080) async throws -> (client: Peer, server: Peer) {
    let count = servers.count
    let client = try await connect(port: port)
    try await world.sleep(.milliseconds(5))
    return (client, servers[count])
  }

  func sleep(_ milliseconds: Int) async throws { try await world.sleep(.milliseconds(milliseconds)) }
}
