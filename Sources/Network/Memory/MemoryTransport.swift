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
      return MemoryConnectHandle { _ in failed.fail(.cancelled) }
    }
    bound?(local)
    let dial = MemoryDial(network: network, local: local, peer: address, timeout: timeout, completion)
    return MemoryConnectHandle { error in dial.fail(error) }
  }

  public func resolve(host: String, port: UInt16) async throws(NetworkError) -> [SocketAddress] {
    if Task.isCancelled { throw .cancelled }
    if let known = network.names[host] { return known.map { $0.with(port: port) } }
    return [NumericHost.address(host, port: port) ?? .memory(host, port: port)]
  }
}

/// @unchecked: confined to its network's loop.
private final class MemoryConnectHandle: ConnectHandle, @unchecked Sendable {
  private let fail: (NetworkError) -> Void
  init(_ fail: @escaping (NetworkError) -> Void) { self.fail = fail }
  override func cancel() { fail(.cancelled) }
}

/// A connect that failed at once, told through the loop.
///
/// @unchecked: confined to its loop.
final class FailedConnect: LoopTimer, @unchecked Sendable {
  private let error: NetworkError
  private var completion: ((Result<ByteStream, NetworkError>) -> Void)?

  init(_ error: NetworkError, _ completion: @escaping (Result<ByteStream, NetworkError>) -> Void) {
    self.error = error
    self.completion = completion
  }

  override func fire() { fail(error) }

  func fail(_ error: NetworkError) {
    guard let completion else { return }
    self.completion = nil
    completion(.failure(error))
  }
}

/// Hosts that need no look-up.
enum NumericHost {
  static func address(_ host: String, port: UInt16) -> SocketAddress? {
    host == "localhost" ? .loopback(port: port) : .numeric(host: host, port: port)
  }
}
