import Core
import Network
import WebSocket

/// One direction of a relayed connection: reads its source, follows heads and frames, lets faults hold or drop, writes its
/// sink.
///
/// As a timer it fires when the first of what its stages hold is due.
///
/// @unchecked: confined to its proxy's loop.
final class Flow: LoopTimer, @unchecked Sendable {
  enum Phase {
    /// The HTTP head is being read; its bytes wait until it is whole.
    case head
    /// WebSocket frames.
    case frames
    /// Bytes that only pass: nothing is followed.
    case opaque
  }

  /// The relay holds its flows; `fire` and the proxy's callbacks hold the relay meanwhile.
  unowned(unsafe) var relay: Relay!  // set right after both are made
  unowned(unsafe) let proxy: Proxy
  let direction: Direction
  // What the hot path needs of the relay, whose uses are dear: streams refer to it weakly.
  let connection: ConnectionID
  let client: ClientID?
  /// The relay is over.
  @exclusivity(unchecked) var isStopped = false
  /// Nil while the upstream is being dialled.
  @exclusivity(unchecked) var source: ByteStream?
  @exclusivity(unchecked) var sink: ByteStream?
  @exclusivity(unchecked) var phase: Phase
  var head: HeadReader?
  @exclusivity(unchecked) var tracker = FrameTracker()
  @exclusivity(unchecked) var assembler: MessageAssembler
  /// Whether messages are put together: asked for, and nothing invalid has come.
  @exclusivity(unchecked) var assembles: Bool

  /// Bytes read from the source.
  @exclusivity(unchecked) var received: UInt64 = 0
  /// Whole frames and whole data messages seen, where frames are followed.
  @exclusivity(unchecked) var frames: UInt64 = 0
  @exclusivity(unchecked) var messages: UInt64 = 0
  /// Whether a data message has begun and not ended; kept while messages are not put together.
  @exclusivity(unchecked) var isInMessage = false
  /// Messages are to be put together from the next one on.
  @exclusivity(unchecked) var awaitsAssembly = false
  /// Something invalid has come.
  var isUnreadable = false
  /// A pipe with bytes that the sink had no room for; they go before `unsent`.
  @exclusivity(unchecked) var pipe: SplicePipe?
  /// The last read was large, so that the next ones may be worth a pipe.
  @exclusivity(unchecked) var isBulk = false

  /// Bytes put on their way, and bytes written to the sink.
  @exclusivity(unchecked) var accepted: UInt64 = 0
  @exclusivity(unchecked) var forwarded: UInt64 = 0
  /// What the sink had no room for.
  @exclusivity(unchecked) var unsent: [UInt8] = []
  @exclusivity(unchecked) var unsentStart = 0
  @exclusivity(unchecked) var stages: [FlowStage] = []
  /// The faults whose stages these are.
  var stageFaults: FaultSet = []
  @exclusivity(unchecked) var gate: FrameGate?
  /// Messages that faults were asked about.
  var gatedMessages: UInt64 = 0
  @exclusivity(unchecked) var pending = PendingNotes()

  /// The source has sent its FIN, and it has been read.
  var sourceEnded = false
  /// The source's connection is gone.
  var sourceGone = false
  /// A mark that waits for `unsent` to be written.
  var waitingMark: Segment.Mark?
  /// A fault throws away what comes from this place on, counted as `accepted`, and which.
  var loss: (start: UInt64, faults: FaultSet)?
  /// A FIN has been written to the sink, or there is no sink left to write one to.
  var isFinished = false
  /// What the source still sends is read and dropped: since when a fault has ended this direction, or the sink is gone.
  @exclusivity(unchecked) var drops = false
  /// The fault that ended this direction.
  var ender: FaultEntry?
  /// A close frame that waits for the next frame boundary.
  var injection: InjectedClose?
  /// How far into the present chunk the tracker has reported frames.
  var reported = 0
  /// Reading stopped for another reason than that nothing was there.
  @exclusivity(unchecked) var isHeldUp = false
  /// Writing failed with this; looked at when what was read has been told.
  @exclusivity(unchecked) var sinkError: NetworkError?

  init(_ proxy: Proxy, _ direction: Direction, _ subject: FaultTarget.Subject) {
    self.proxy = proxy
    self.direction = direction
    connection = subject.connection
    client = subject.client
    phase = proxy.tracks ? .head : .opaque
    assembles = proxy.assembles
    assembler = MessageAssembler(
      expectsMask: direction == .up, limits: proxy.configuration.caps.message, skipsOversized: true,
      recent: direction == .down ? proxy.loop.recentPayloads : nil)
  }

  /// Messages above the limits, which passed without being put together.
  var unseenMessages: UInt64 { UInt64(assembler.skippedMessages) }
  var incomingSide: Side { direction == .up ? .client : .upstream }
  var outgoingSide: Side { direction == .up ? .upstream : .client }
  var hasUnsent: Bool { unsentStart < unsent.count || pipe != nil }

  // MARK: Reading

  /// Reads and passes on what the source has, as far as it may.
  func pump() {
    isHeldUp = false
    while !sourceEnded, !isStopped, let source {
      if isBulk, maySplice, let sink, let result = splice(from: source, to: sink) {
        if result { continue }
        return
      }
      let room = readingRoom
      guard room > 0 else {
        isHeldUp = true
        noteRefusedReading()
        return
      }
      let buffer = UnsafeMutableRawBufferPointer(rebasing: proxy.loop.scratch[..<room])
      do throws(NetworkError) {
        switch try source.read(into: buffer) {
        case .bytes(let count):
          let now = proxy.loop.now
          if direction == .up {
            proxy.counts.bytesUp &+= UInt64(count)
          } else {
            proxy.counts.bytesDown &+= UInt64(count)
          }
          received &+= UInt64(count)
          isBulk = count >= Self.bulk
          take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), now)
          settle(now)
          // A read that leaves room has taken everything, unless the end stands behind it.
          if count < room, source.peerGone == .present { return }
        case .wouldBlock: return
        case .end:
          ended()
          return
        }
      } catch {
        relay.failed(incomingSide, error)
        return
      }
    }
  }

  /// How many bytes may be read now.
  @inline(__always)
  private var readingRoom: Int {
    let size = proxy.loop.scratch.count
    if drops { return size }
    if sink == nil && relay.state != .answering { return 0 }
    if hasUnsent { return 0 }
    if let gate, gate.isFull { return 0 }
    if stages.isEmpty { return size }
    var (held, limit) = (0, 0)
    for stage in stages {
      if stage.stage.stopsReading { return 0 }
      held += stage.stage.heldBytes
      limit = max(limit, stage.stage.holdLimit)
    }
    return min(size, max(0, limit - held))
  }

  private func take(_ chunk: UnsafeRawBufferPointer, _ now: Instant) {
    switch phase {
    case .opaque: forward(chunk, now)
    case .frames: if gate == nil && injection == nil && !drops { takeFrames(chunk, now) } else { takeGated(chunk, now) }
    case .head: takeHead(chunk, now)
    }
  }

  /// Goes on within a chunk in the phase that its first part has led to.
  func takeRest(_ chunk: UnsafeRawBufferPointer, _ now: Instant) { if !chunk.isEmpty { take(chunk, now) } }

  /// What was read has been passed on as far as it could be: the judge is told, and a sink that failed is looked at.
  @inline(__always)
  func settle(_ now: Instant) {
    if !proxy.notes.isEmpty { tellNotes(now) }
    if let error = sinkError {
      sinkError = nil
      relay.sinkFailed(self, error)
    }
  }

  func ended() {
    sourceEnded = true
    let now = proxy.loop.now
    endHead(now)
    releaseGate(now)
    settle(now)
    if relay.isOver { return }
    relay.noteEnd(incomingSide, .fin, by: direction == .up ? .client : .server)
    if drops || sink == nil { return relay.flowEnded() }
    pass(.fin)
    settle(now)
  }

  override func fire() {
    // The loop holds this timer, not the relay.
    guard isFaulted || isHeldUp, let relay else { return }
    withExtendedLifetime(relay) {
      if relay.isOver { return }
      relay.takeFaultsInIfChanged()
      let now = proxy.loop.now
      letGoOfDue(now)
      advance(now)
      settle(now)
      if !relay.isOver, isHeldUp { pump() }
    }
  }
}
