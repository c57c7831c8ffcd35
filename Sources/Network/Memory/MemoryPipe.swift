import Core

/// One direction of an in-memory connection: ordered bytes that arrive after the network's latency, then perhaps a FIN
/// or an RST. Bytes in flight and unread count alike against its capacity, which is what holds up the writer.
///
/// @unchecked: confined to its network's loop.
final class MemoryPipe: LoopTimer, @unchecked Sendable {
  private enum Mark: Int {
    case fin = -1
    case reset = -2
  }
  private struct Segment {
    var arrival: Int64
    /// How many bytes, or a mark's raw value.
    var bytes: Int
  }

  // The network outlives its pipes' use: streams and timers that hold a pipe are held by it or hold it.
  private unowned(unsafe) let network: MemoryNetwork
  unowned(unsafe) private let loop: EventLoop
  // A stream takes itself out when it goes; a queued wake can outlive it.
  @exclusivity(unchecked) unowned(unsafe) var reader: MemoryStream?
  @exclusivity(unchecked) unowned(unsafe) var writer: MemoryStream?
  /// The other direction, for the RST that answers bytes nobody will read.
  unowned(unsafe) var reverse: MemoryPipe?
  @exclusivity(unchecked) private var random: SeededRandom

  @exclusivity(unchecked) private var buffer = RingBuffer()
  @exclusivity(unchecked) private var segments: [Segment] = []
  @exclusivity(unchecked) private var nextSegment = 0
  @exclusivity(unchecked) private var lastArrival: Int64 = 0

  /// Bytes that have arrived and were not read.
  @exclusivity(unchecked) private(set) var unread = 0
  @exclusivity(unchecked) private(set) var finArrived = false
  @exclusivity(unchecked) private(set) var resetArrived = false
  @exclusivity(unchecked) private(set) var finSent = false
  private var resetSent = false
  /// The reading side is closed: what arrives is answered with an RST.
  @exclusivity(unchecked) private var readerClosed = false
  /// The connection is gone for the writer.
  @exclusivity(unchecked) private(set) var writerGone = false
  @exclusivity(unchecked) private(set) var writerBlocked = false
  /// Something the reader's handler has not been told.
  @exclusivity(unchecked) private var hasNews = false

  init(network: MemoryNetwork, subject: UInt64) {
    self.network = network
    loop = network.loop
    random = SeededRandom(seed: network.seed, purpose: .network, subject: subject)
  }

  deinit { reverse?.reverse = nil }

  var free: Int { max(0, network.capacity - buffer.count) }
  var inFlight: Int { buffer.count - unread }

  // MARK: Writing side

  func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let size = min(bytes.count, free)
    if size < bytes.count { writerBlocked = true }
    if size == 0 { return 0 }
    buffer.append(bytes, size)
    send(size)
    return size
  }

  func sendFin() {
    if finSent || resetSent || writerGone { return }
    finSent = true
    send(Mark.fin.rawValue)
  }

  func sendReset() {
    if resetSent || writerGone { return }
    resetSent = true
    send(Mark.reset.rawValue)
  }

  private func send(_ what: Int) {
    let arrival = max(lastArrival, loop.now.nanoseconds &+ network.delay(&random))  // never before what was sent first
    lastArrival = arrival
    if what > 0, segments.count > nextSegment, let last = segments.last, last.arrival == arrival, last.bytes > 0 {
      segments[segments.count - 1].bytes += what
    } else {
      segments.append(Segment(arrival: arrival, bytes: what))
    }
    if !isArmed { loop.arm(self, at: Instant(nanoseconds: arrival)) }
  }

  // MARK: Arrival

  override func fire() {
    let now = loop.now.nanoseconds
    while nextSegment < segments.count, segments[nextSegment].arrival <= now {
      let segment = segments[nextSegment]
      nextSegment += 1
      arrive(segment.bytes)
    }
    if nextSegment == segments.count {
      segments.removeAll(keepingCapacity: true)
      nextSegment = 0
    } else {
      if nextSegment > 32 {
        segments.removeFirst(nextSegment)
        nextSegment = 0
      }
      if !isArmed { loop.arm(self, at: Instant(nanoseconds: segments[nextSegment].arrival)) }
    }
    tellReader()
    tellWriter()
  }

  private func arrive(_ what: Int) {
    switch Mark(rawValue: what) {
    case .fin:
      finArrived = true
      hasNews = true
      reader?.peerEnded(nil)
    case .reset:
      resetArrived = true
      hasNews = true
      if network.discardsUnreadOnReset { discardUnread() }
      reverse?.peerWasReset()
      reader?.peerEnded(.reset)
    case nil where readerClosed || resetArrived:
      buffer.drop(what)
      reverse?.sendReset()
    case nil:
      unread += what
      hasNews = true
    }
  }

  /// An RST has come from the other end: what was on the way to it is lost.
  private func peerWasReset() {
    writerGone = true
    loop.disarm(self)
    segments = []
    nextSegment = 0
    buffer.clear()
    unread = 0
    loop.soon(self)
  }

  private func tellReader() {
    guard hasNews, let reader, reader.wantsNews else { return }
    hasNews = false
    reader.handler?.readable(reader)
  }

  private func tellWriter() {
    guard writerBlocked, writerGone || free * 2 >= network.capacity else { return }
    writerBlocked = false
    guard let writer, !writer.isClosed else { return }
    writer.handler?.writable(writer)
  }

  // MARK: Reading side

  func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    let size = min(target.count, unread)
    if size == 0 { return 0 }
    buffer.take(size, into: target)
    unread -= size
    // Through the loop: a reader's call never runs the writer's code.
    if writerBlocked && free * 2 >= network.capacity { loop.soon(self) }
    return size
  }

  /// A handler was set, or reading was resumed.
  func readerReturned() {
    if unread > 0 || finArrived || resetArrived { hasNews = true }
    if hasNews { loop.soon(self) }
  }

  /// The reading side is closed; unread bytes are lost.
  func closeReader() {
    readerClosed = true
    discardUnread()
  }

  private func discardUnread() {
    if unread > 0 { buffer.drop(unread) }
    unread = 0
  }
}
