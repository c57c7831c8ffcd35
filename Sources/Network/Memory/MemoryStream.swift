import Core

/// One end of an in-memory connection.
///
/// @unchecked: confined to its network's loop.
public final class MemoryStream: ByteStream, @unchecked Sendable {
  /// The connection's number on its network; both ends share it.
  public let number: UInt64
  let network: MemoryNetwork
  let incoming: MemoryPipe
  let outgoing: MemoryPipe
  /// The dialling end holds the local port until it closes.
  private let holdsPort: Bool
  @exclusivity(unchecked) private var closed = false
  @exclusivity(unchecked) private var paused = false
  // The network's list of the streams there are, in the order of their making; each takes itself out as it goes.
  unowned(unsafe) var previous: MemoryStream?
  unowned(unsafe) var next: MemoryStream?

  init(
    network: MemoryNetwork, number: UInt64, local: SocketAddress, peer: SocketAddress, incoming: MemoryPipe,
    outgoing: MemoryPipe, holdsPort: Bool
  ) {
    self.network = network
    self.number = number
    self.incoming = incoming
    self.outgoing = outgoing
    self.holdsPort = holdsPort
    super.init(loop: network.loop, local: local, peer: peer)
    incoming.reader = self
    outgoing.writer = self
  }

  deinit {
    close()
    incoming.reader = nil
    outgoing.writer = nil
    network.forget(self)
  }

  public override var isClosed: Bool { closed }
  public override var isReadingPaused: Bool { paused }
  public override var peerGone: PeerState {
    incoming.resetArrived ? .gone : incoming.finArrived ? .finished : .present
  }

  public override func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> ReadResult {
    assert(loop.isConfined, "read off the loop")
    if closed { throw .closed.at(peer) }
    let size = incoming.read(into: buffer)
    if size > 0 { return .bytes(size) }
    if buffer.isEmpty && incoming.unread > 0 { return .wouldBlock }
    if incoming.resetArrived { throw .reset.at(peer) }
    return incoming.finArrived ? .end : .wouldBlock
  }

  public override func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) -> Int {
    assert(loop.isConfined, "wrote off the loop")
    if closed || outgoing.finSent { throw .closed.at(peer) }
    if outgoing.writerGone { throw .reset.at(peer) }
    return outgoing.write(bytes)
  }

  public override func pauseReading() { paused = true }

  public override func resumeReading() {
    guard paused else { return }
    paused = false
    if !closed { incoming.readerReturned() }
  }

  public override func shutdownWrite() {
    assert(loop.isConfined, "shut down off the loop")
    if !closed { outgoing.sendFin() }
  }

  public override func close() {
    assert(loop.isConfined, "closed off the loop")
    if closed { return }
    if incoming.unread > 0 { outgoing.sendReset() } else { outgoing.sendFin() }
    end()
  }

  public override func reset() {
    assert(loop.isConfined, "reset off the loop")
    if closed { return }
    outgoing.sendReset()
    end()
  }

  public override func handlerChanged() { if !closed { incoming.readerReturned() } }

  private func end() {
    closed = true
    forgetHandler()
    incoming.closeReader()
    if holdsPort { network.release(local: local, peer: peer) }
  }

  // MARK: From the pipe

  /// Whether the handler is to be told that something can be read.
  var wantsNews: Bool { !closed && !paused && handler != nil }

  func peerEnded(_ error: NetworkError?) { if !closed { handler?.hungUp(self, error?.at(peer)) } }

  /// For the report of a deadlock.
  var state: String? {
    if closed { return nil }
    var parts: [String] = []
    if incoming.unread > 0 { parts.append("\(incoming.unread) bytes unread\(paused ? ", reading paused" : "")") }
    if outgoing.writerBlocked { parts.append("its writer waits for room") }
    if parts.isEmpty { parts.append("waits for the peer") }
    return "stream \(number) from \(local) to \(peer): " + parts.joined(separator: ", ")
  }
}
