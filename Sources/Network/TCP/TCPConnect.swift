import CSys
import Core
import Glibc

/// A TCP connect on its way.
///
/// @unchecked: confined to its loop.
final class TCPConnect: ConnectHandle, ReadinessHandler, @unchecked Sendable {
  private let loop: EventLoop
  private let poller: any Poller
  private let peer: SocketAddress
  private let local: SocketAddress
  private var descriptor: Int32
  private var completion: ((Result<ByteStream, NetworkError>) -> Void)?
  private var timer: CallbackTimer?
  /// Nobody else needs to hold it until it has completed.
  private var itself: TCPConnect?

  /// Opens, binds and starts to connect; throws what fails at once.
  init(
    loop: EventLoop, poller: any Poller, to peer: SocketAddress, from source: SocketAddress?, timeout: Duration?,
    _ completion: @escaping (Result<ByteStream, NetworkError>) -> Void
  ) throws(NetworkError) {
    let (descriptor, local) = try Self.start(to: peer, from: source)
    self.loop = loop
    self.poller = poller
    self.peer = peer
    self.local = local
    self.descriptor = descriptor
    self.completion = completion
    super.init()
    do throws(NetworkError) { try poller.add(descriptor, self) } catch {
      _ = csys_close(descriptor)
      self.descriptor = -1
      throw error.at(peer)
    }
    if let timeout {
      let timer = CallbackTimer { [weak self] in self?.fail(.timedOut) }
      self.timer = timer
      loop.arm(timer, at: loop.now + timeout)
    }
    itself = self
  }

  /// The local address, known as soon as the connect has begun.
  var localAddress: SocketAddress { local }

  private static func start(to peer: SocketAddress, from source: SocketAddress?) throws(NetworkError) -> (
    Int32, SocketAddress
  ) {
    guard var system = peer.system else { throw .other(EAFNOSUPPORT).at(peer) }
    let socket = csys_socket(Int32(system.family))
    if socket < 0 { throw NetworkError(errno: -socket).at(peer) }
    _ = csys_no_delay(socket)
    if let source {
      guard var bound = source.system else {
        _ = csys_close(socket)
        throw .other(EAFNOSUPPORT).at(source)
      }
      let result = csys_bind(socket, &bound, source.port == 0 ? 1 : 0)
      if result < 0 {
        _ = csys_close(socket)
        throw (result == -EADDRINUSE && source.port == 0 ? .noPorts : NetworkError(errno: -result)).at(source)
      }
    }
    let result = csys_connect(socket, &system)
    if result < 0 && result != -EINPROGRESS {
      _ = csys_close(socket)
      throw NetworkError(errno: -result).at(peer)
    }
    var local = csys_address()
    _ = csys_local_address(socket, &local)
    return (socket, SocketAddress(system: local))
  }

  func ready(_ readiness: Readiness) {
    guard descriptor >= 0 else { return }
    let code = csys_take_error(descriptor)
    if code != 0 { return fail(NetworkError(errno: code)) }
    guard readiness.contains(.writable) else { return }
    // A connect to a free port of this machine can meet itself.
    if local == peer { return fail(.refused) }
    let mayRead = !readiness.isDisjoint(with: [.readable, .peerClosed, .hungUp])
    let stream = TCPStream(
      loop: loop, poller: poller, descriptor: descriptor, local: local, peer: peer, mayRead: mayRead)
    poller.replace(descriptor, stream)
    descriptor = -1
    finish(.success(stream))
  }

  override func cancel() { fail(.cancelled) }

  private func fail(_ error: NetworkError) {
    if descriptor >= 0 {
      poller.remove(descriptor)
      _ = csys_close(descriptor)
      descriptor = -1
    }
    finish(.failure(error.at(peer)))
  }

  private func finish(_ result: Result<ByteStream, NetworkError>) {
    guard let completion else { return }
    self.completion = nil
    if let timer { loop.disarm(timer) }
    itself = nil
    completion(result)
  }
}
