import Core

/// Connections within an in-memory network. Takes addresses of every kind, so that a scenario's "127.0.0.1:4000" works
/// in a virtual run as it is.
///
/// @unchecked: confined to its network's loop.
public final class MemoryTransport: Transport, @unchecked Sendable {
  public let network: MemoryNetwork
  public var loop: EventLoop { network.loop }

  public init(network: MemoryNetwork) { self.network = network }

  /// `loop` must be the network's: an in-memory network is on one loop.
  public convenience init(network: MemoryNetwork, loop: EventLoop) {
    precondition(network.loop === loop, "an in-memory network is on one loop")
    self.init(network: network)
  }

  public func listen(on address: SocketAddress, backlog: Int, _ accepted: @escaping (ByteStream) -> Void)
    throws(NetworkError) -> any Listener
  {
    assert(loop.isConfined, "listened off the loop")
    return try MemoryListener(network: network, address: address, backlog: backlog, accepted)
  }

  @discardableResult
  public func connect(
    to address: SocketAddress, from source: SocketAddress?, timeout: Duration?, bound: ((SocketAddress) -> Void)?,
    _ completion: @escaping (Result<ByteStream, NetworkError>) -> Void
  ) -> ConnectHandle {
    assert(loop.isConfined, "connected off the loop")
    guard let local = network.hold(source: source, peer: address) else {
      let failed = FailedConnect(.noPorts.at(address), completion)
      loop.soon(failed)
      return failed.handle
    }
    bound?(local)
    let dial = MemoryDial(network: network, local: local, peer: address, timeout: timeout, completion)
    return CancellingHandle { dial.fail(.cancelled) }
  }

  public func resolve(host: String, port: UInt16) async throws(NetworkError) -> [SocketAddress] {
    if Task.isCancelled { throw .cancelled }
    if let known = network.names[host] { return known.map { $0.with(port: port) } }
    return [NumericHost.address(host, port: port) ?? .memory(host, port: port)]
  }
}

/// Hosts that need no look-up.
enum NumericHost {
  static func address(_ host: String, port: UInt16) -> SocketAddress? {
    host == "localhost" ? .loopback(port: port) : .numeric(host: host, port: port)
  }
}
