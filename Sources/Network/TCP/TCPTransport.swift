import Core

/// Connections over the machine's TCP, IPv4 and IPv6.
///
/// @unchecked: confined to its loop.
public final class TCPTransport: Transport, @unchecked Sendable {
  public let loop: EventLoop
  private let poller: any Poller
  private let resolver: Resolver

  /// `loop` must be on the monotonic clock.
  public init(loop: EventLoop) {
    guard let poller = loop.poller else { preconditionFailure("TCP needs a loop on the monotonic clock") }
    self.loop = loop
    self.poller = poller
    resolver = Resolver(loop: loop)
  }

  public func listen(on address: SocketAddress, backlog: Int, _ accepted: @escaping (ByteStream) -> Void)
    throws(NetworkError) -> any Listener
  {
    try TCPListener(loop: loop, poller: poller, address: address, backlog: backlog, accepted)
  }

  @discardableResult
  public func connect(
    to address: SocketAddress, from source: SocketAddress?, timeout: Duration?, bound: ((SocketAddress) -> Void)?,
    _ completion: @escaping (Result<ByteStream, NetworkError>) -> Void
  ) -> ConnectHandle {
    assert(loop.isConfined, "connected off the loop")
    do throws(NetworkError) {
      let connect = try TCPConnect(
        loop: loop, poller: poller, to: address, from: source, timeout: timeout, completion)
      bound?(connect.localAddress)
      return connect
    } catch {
      let failed = FailedConnect(error, completion)
      loop.soon(failed)
      return failed.handle
    }
  }

  public func resolve(host: String, port: UInt16) async throws(NetworkError) -> [SocketAddress] {
    if Task.isCancelled { throw .cancelled }
    if let address = NumericHost.address(host, port: port) { return [address] }
    return try await resolver.resolve(host).map { $0.with(port: port) }
  }
}
