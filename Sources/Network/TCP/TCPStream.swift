import CSys
import Core
import Glibc

/// A TCP connection of the machine, non-blocking, with Nagle's delay off.
///
/// @unchecked: confined to its loop.
public final class TCPStream: ByteStream, ReadinessHandler, @unchecked Sendable {
  /// So much may be read in one go before the loop's other work gets its turn.
  private static let bytesPerTurn = 4 * 65536

  @exclusivity(unchecked) private var descriptor: Int32
  private let poller: any Poller
  /// The system has told of something to read, and a read has not yet said that there is nothing.
  @exclusivity(unchecked) private var mayRead: Bool
  @exclusivity(unchecked) private var paused = false
  @exclusivity(unchecked) private var writerBlocked = false
  @exclusivity(unchecked) private var finSent = false
  @exclusivity(unchecked) private var finCame = false
  /// Why the connection is gone; remembered, since the system tells it once.
  @exclusivity(unchecked) private var failure: NetworkError?
  @exclusivity(unchecked) private var readBudget = TCPStream.bytesPerTurn
  private var readAgain: ReadAgain?

  /// Takes over a connected descriptor that the poller already watches.
  init(
    loop: EventLoop, poller: any Poller, descriptor: Int32, local: SocketAddress, peer: SocketAddress,
    mayRead: Bool = false
  ) {
    self.descriptor = descriptor
    self.poller = poller
    self.mayRead = mayRead
    super.init(loop: loop, local: local, peer: peer)
  }

  deinit {
    if descriptor >= 0 { close() }
  }

  public override var isClosed: Bool { descriptor < 0 }
  public override var isReadingPaused: Bool { paused }
  public override var peerGone: PeerState { failure != nil ? .gone : finCame ? .finished : .present }

  // MARK: Calls

  public override func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> ReadResult {
    assert(loop.isConfined, "read off the loop")
    if descriptor < 0 { throw .closed.at(peer) }
    guard let base = buffer.baseAddress, buffer.count > 0 else { return .wouldBlock }
    if readBudget <= 0 {
      tellReaderSoon()
      return .wouldBlock
    }
    return try taken(csys_read(descriptor, base, buffer.count))
  }

  /// What the system's answer to a read means.
  private func taken(_ size: Int) throws(NetworkError) -> ReadResult {
    switch size {
    case 1...:
      readBudget -= size
      return .bytes(size)
    case 0:
      if let failure { throw failure }
      finCame = true
      return .end
    case -Int(EAGAIN):
      mayRead = false
      if let failure { throw failure }
      return .wouldBlock
    default:
      throw fail(Int32(-size))
    }
  }

  public override func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) -> Int {
    assert(loop.isConfined, "wrote off the loop")
    if descriptor < 0 || finSent { throw .closed.at(peer) }
    if let failure { throw failure }
    var written = 0
    while written < bytes.count, let base = bytes.baseAddress {
      let size = csys_send(descriptor, base + written, bytes.count - written)
      if size > 0 {
        written += size
      } else if size == -Int(EAGAIN) {
        writerBlocked = true
        break
      } else {
        // What was taken before is on its way to nowhere, too.
        throw fail(Int32(-size))
      }
    }
    return written
  }

  public override var splices: Bool { true }

  public override func fill(_ pipe: SplicePipe) throws(NetworkError) -> ReadResult? {
    assert(loop.isConfined, "read off the loop")
    if descriptor < 0 { throw .closed.at(peer) }
    guard pipe.count == 0 else { return .wouldBlock }
    if readBudget <= 0 {
      tellReaderSoon()
      return .wouldBlock
    }
    let size = pipe.fill(from: descriptor)
    // The kernel or a filter over it does not know the call for this socket.
    if size == -Int(EINVAL) || size == -Int(ENOSYS) || size == -Int(EPERM) { return nil }
    return try taken(size)
  }

  public override func drain(_ pipe: SplicePipe) throws(NetworkError) -> Int {
    assert(loop.isConfined, "wrote off the loop")
    if descriptor < 0 || finSent { throw .closed.at(peer) }
    if let failure { throw failure }
    var written = 0
    while pipe.count > 0 {
      let size = pipe.drain(to: descriptor)
      if size > 0 {
        written += size
      } else if size == -Int(EAGAIN) {
        writerBlocked = true
        break
      } else {
        throw fail(size == 0 ? EPIPE : Int32(-size))
      }
    }
    return written
  }

  public override func pauseReading() { paused = true }

  public override func resumeReading() {
    guard paused else { return }
    paused = false
    if mayRead && descriptor >= 0 { tellReaderSoon() }
  }

  public override func handlerChanged() { if mayRead && descriptor >= 0 { tellReaderSoon() } }

  public override func shutdownWrite() {
    assert(loop.isConfined, "shut down off the loop")
    guard descriptor >= 0, !finSent else { return }
    finSent = true
    _ = csys_shutdown_write(descriptor)
  }

  public override func close() {
    assert(loop.isConfined, "closed off the loop")
    guard descriptor >= 0 else { return }
    poller.remove(descriptor)
    _ = csys_close(descriptor)
    descriptor = -1
    if let readAgain { loop.disarm(readAgain) }
    readAgain = nil
    forgetHandler()
  }

  public override func reset() {
    guard descriptor >= 0 else { return }
    _ = csys_reset_on_close(descriptor)
    close()
  }

  private func fail(_ code: Int32) -> NetworkError {
    let error = failure ?? NetworkError(errno: code).at(peer)
    failure = error
    return error
  }

  // MARK: From the poller

  func ready(_ readiness: Readiness) {
    if !readiness.isDisjoint(with: [.error, .hungUp]) { noteFailure(readiness) }
    if readiness.contains(.peerClosed), !finCame, failure == nil, descriptor >= 0 {
      finCame = true
      handler?.hungUp(self, nil)
    }
    if !readiness.isDisjoint(with: [.readable, .peerClosed, .hungUp, .error]) {
      mayRead = true
      tellReader()
    }
    if writerBlocked, descriptor >= 0, !readiness.isDisjoint(with: [.writable, .hungUp, .error]) {
      writerBlocked = false
      handler?.writable(self)
    }
  }

  private func noteFailure(_ readiness: Readiness) {
    guard failure == nil, descriptor >= 0 else { return }
    let code = csys_take_error(descriptor)
    if code != 0 {
      handler?.hungUp(self, fail(code))
    } else if readiness.contains(.hungUp), !finSent {
      // Both directions are over and this side did not end its own.
      handler?.hungUp(self, fail(ECONNRESET))
    }
  }

  private func tellReader() {
    readBudget = Self.bytesPerTurn
    guard mayRead, !paused, descriptor >= 0 else { return }
    handler?.readable(self)
  }

  private func tellReaderSoon() {
    let timer = readAgain ?? ReadAgain(self)
    readAgain = timer
    loop.soon(timer)
  }

  /// Takes a reader up again in the loop's next round.
  ///
  /// @unchecked: confined to the stream's loop.
  private final class ReadAgain: LoopTimer, @unchecked Sendable {
    // Every end of the stream takes this timer out first.
    unowned(unsafe) private let stream: TCPStream
    init(_ stream: TCPStream) { self.stream = stream }
    override func fire() {
      // Held: the reader may drop the stream.
      let stream = stream
      withExtendedLifetime(stream) { stream.tellReader() }
    }
  }
}
