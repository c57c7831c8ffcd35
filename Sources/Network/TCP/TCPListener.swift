import CSys
import Core
import Glibc

/// A listening TCP socket.
///
/// @unchecked: confined to its loop.
public final class TCPListener: LoopTimer, Listener, ReadinessHandler, @unchecked Sendable {
  /// So many are accepted in one go before the loop's other work gets its turn.
  private static let acceptsPerTurn = 64
  /// How long it stops accepting when descriptors have run out; the backlog holds the rest.
  private static let pauseWithoutDescriptors: Duration = .milliseconds(100)

  private let loop: EventLoop
  private let poller: any Poller
  private let backlog: Int
  private let accepted: (ByteStream) -> Void
  private var descriptor: Int32 = -1
  private var isPaused = false
  public private(set) var address: SocketAddress
  public private(set) var acceptFailures = 0

  init(
    loop: EventLoop, poller: any Poller, address: SocketAddress, backlog: Int,
    _ accepted: @escaping (ByteStream) -> Void
  ) throws(NetworkError) {
    self.loop = loop
    self.poller = poller
    self.address = address
    self.backlog = backlog
    self.accepted = accepted
    super.init()
    try reopen()
  }

  deinit { close() }

  public func reopen() throws(NetworkError) {
    assert(loop.isConfined, "listened off the loop")
    guard descriptor < 0 else { return }
    guard var system = address.system else { throw .other(EAFNOSUPPORT).at(address) }
    let socket = csys_socket(Int32(system.family))
    if socket < 0 { throw NetworkError(errno: -socket).at(address) }
    do throws(NetworkError) {
      _ = csys_reuse_address(socket)
      try check(csys_bind(socket, &system, 0))
      try check(csys_listen(socket, Int32(clamping: backlog)))
      try check(csys_local_address(socket, &system))
      try poller.add(socket, self)
    } catch {
      _ = csys_close(socket)
      throw error.at(address)
    }
    address = SocketAddress(system: system)
    descriptor = socket
  }

  private func check(_ result: Int32) throws(NetworkError) { if result < 0 { throw NetworkError(errno: -result) } }

  public func close() {
    guard descriptor >= 0 else { return }
    loop.disarm(self)
    poller.remove(descriptor)
    _ = csys_close(descriptor)
    descriptor = -1
  }

  public func pauseAccepting() {
    isPaused = true
    loop.disarm(self)
  }

  public func resumeAccepting() {
    isPaused = false
    if descriptor >= 0 { loop.soon(self) }
  }

  func ready(_ readiness: Readiness) { if !isArmed { acceptSome() } }

  public override func fire() { acceptSome() }

  private func acceptSome() {
    for _ in 0..<Self.acceptsPerTurn {
      guard descriptor >= 0, !isPaused else { return }
      var peer = csys_address()
      let socket = csys_accept(descriptor, &peer)
      switch socket {
      case 0...: accept(socket, SocketAddress(system: peer))
      case -EAGAIN: return
      case -EMFILE, -ENFILE, -ENOBUFS, -ENOMEM:
        acceptFailures += 1
        return loop.arm(self, at: loop.now + Self.pauseWithoutDescriptors)
      default: continue  // that connection failed before it was accepted; the next one may not have
      }
    }
    loop.soon(self)
  }

  private func accept(_ socket: Int32, _ peer: SocketAddress) {
    _ = csys_no_delay(socket)
    var local = address
    if address.isWildcard {
      var system = csys_address()
      if csys_local_address(socket, &system) >= 0 { local = SocketAddress(system: system) }
    }
    let stream = TCPStream(loop: loop, poller: poller, descriptor: socket, local: local, peer: peer)
    do throws(NetworkError) { try poller.add(socket, stream) } catch {
      acceptFailures += 1
      return stream.close()
    }
    accepted(stream)
  }
}
