import Core
import Network
import ReferenceServer

/// The server that the run is about: one of ours, started here, or one elsewhere.
struct Upstream: Sendable {
  /// How long the one probing connection before a run may take.
  static let probeTimeout = Duration.seconds(5)

  var address: SocketAddress
  /// The Host of upgrade requests, and their request target.
  var authority: String
  var target: String
  /// Ends an embedded server; does nothing for another.
  var close: @Sendable () -> Void

  /// Starts an embedded server; one elsewhere has been `found`.
  static func prepare(_ target: Target, found: SocketAddress?, _ plan: LoopPlan) async throws(NetworkError) -> Upstream
  {
    switch target.place {
    case .embedded(let options):
      return try await start(plan) { (transport, address) throws(NetworkError) in
        let server = OnebaseServer(transport: transport, options: options)
        let address = try server.start(on: address)
        server.begin(at: .zero)
        return Upstream(address: address, authority: "embedded", target: options.path, close: { server.close() })
      }
    case .embeddedEcho(let options):
      return try await start(plan) { (transport, address) throws(NetworkError) in
        let server = EchoServer(transport: transport, options: options)
        let address = try server.start(on: address)
        server.begin(at: .zero)
        return Upstream(address: address, authority: "embedded", target: "/", close: { server.close() })
      }
    case .embeddedPalbase(let options):
      return try await start(plan) { (transport, address) throws(NetworkError) in
        let server = PalbaseServer(transport: transport, options: options)
        let address = try server.start(on: address)
        server.begin(at: .zero)
        return Upstream(address: address, authority: "embedded", target: options.path, close: { server.close() })
      }
    case .url(let url):
      return Upstream(address: found ?? .loopback(port: 0), authority: url.authority, target: url.target, close: {})
    }
  }

  /// Finds the server elsewhere and tries it with one connection, before the run begins; nil for an embedded one.
  static func find(_ target: Target) throws -> SocketAddress? {
    guard case .url(let url) = target.place else { return nil }
    let loop = EventLoop(clock: .monotonic)
    return try loop.run { () async throws -> SocketAddress in
      let transport = TCPTransport(loop: loop)
      let addresses = try await transport.resolve(host: url.host, port: url.port)
      var failure = NetworkError.resolution("\(url.host) has no address")
      for address in addresses {
        do throws(NetworkError) {
          let stream = try await transport.connect(to: address, from: nil, timeout: probeTimeout, bound: nil)
          stream.close()
          return address
        } catch { failure = error }
      }
      throw failure
    }
  }

  private typealias Starter = @Sendable (any Transport, SocketAddress) throws(NetworkError) -> Upstream

  private static func start(_ plan: LoopPlan, _ starter: @escaping Starter) async throws(NetworkError) -> Upstream {
    guard let loop = plan.serverLoop else { throw .closed }
    let started = await withTaskGroup(of: Result<Upstream, NetworkError>.self) { group in
      group.addTask(executorPreference: loop) {
        let address: SocketAddress = loop.clock == .virtual ? .memory("server", port: 1) : .loopback(port: 0)
        return Result { () throws(NetworkError) in try starter(plan.transport(of: loop), address) }
      }
      return await group.next() ?? .failure(.closed)
    }
    var upstream = try started.get()
    let close = upstream.close
    upstream.close = { loop.execute(close) }
    return upstream
  }
}
