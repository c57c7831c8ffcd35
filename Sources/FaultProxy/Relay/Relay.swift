import Core
import Network

/// One client's connection and its connection to the upstream: two directions, driven by what the streams tell.
///
/// No task, and no buffer while nothing is held.
///
/// @unchecked: confined to its proxy's loop.
final class Relay: ByteStreamHandler, @unchecked Sendable {
  enum State {
    /// The upstream is being dialled; what the client sends waits in its socket.
    case connecting
    case relaying
    /// A fault leaves the client without a word.
    case hanging
    /// A fault answers the client's upgrade itself; there is no upstream.
    case answering
    /// A fault has cut off the upstream; the client is left without a word.
    case severed
    case over
  }

  /// The proxy holds its relays and ends them before it goes.
  unowned(unsafe) let proxy: Proxy
  let subject: FaultTarget.Subject
  /// How many connections the client had made before.
  let attempt: UInt64
  let opened: Instant
  let client: ByteStream
  private(set) var upstream: ByteStream?
  let up: Flow
  let down: Flow
  @exclusivity(unchecked) var state = State.connecting
  /// The proxy's generation that this relay has taken in.
  @exclusivity(unchecked) var generation: UInt32 = 0
  /// The faults that are on for this connection.
  var faults: FaultSet = []
  /// What lets it hang or answers it.
  var holder: FaultRun?
  var answer: (status: Int, retryAfter: Duration?)?
  /// Faults that begin on this connection at a time of its own.
  var own: [OwnTime] = []
  private var connecting: ConnectHandle?
  private var clientEnded = false
  private var upstreamEnded = false
  private var isLingering = false

  // The proxy's list.
  var next: Relay?
  unowned(unsafe) var previous: Relay?

  init(_ proxy: Proxy, _ client: ByteStream, _ subject: FaultTarget.Subject, attempt: UInt64) {
    self.proxy = proxy
    self.client = client
    self.subject = subject
    self.attempt = attempt
    opened = proxy.loop.now
    up = Flow(proxy, .up, subject)
    down = Flow(proxy, .down, subject)
    up.relay = self
    down.relay = self
    up.source = client
    down.sink = client
  }

  var isOver: Bool { state == .over }
  var now: Instant { proxy.loop.now }

  // MARK: Beginning

  func begin(_ decision: AcceptDecision, by run: FaultRun?) {
    holder = run
    takeFaultsIn()
    switch decision {
    case .proceed:
      state = .connecting
      client.handler = self
      connect()
    case .hang:
      state = .hanging
      client.handler = self
    case .answer(let status, let retryAfter):
      state = .answering
      answer = (status, retryAfter)
      up.readHead()
      client.handler = self
    case .reset: abort(.reset, faults: [])
    }
  }

  private func connect() {
    guard let address = proxy.upstream else { return upstreamFailed("not resolved") }
    connecting = proxy.upstreamTransport.connect(
      to: address, from: nil, timeout: proxy.configuration.caps.connectTimeout, bound: nil
    ) { [self] result in
      connecting = nil
      if isOver { return }
      switch result {
      case .success(let stream): connected(stream)
      case .failure(let error): upstreamFailed(error.name)
      }
    }
  }

  private func connected(_ stream: ByteStream) {
    upstream = stream
    state = .relaying
    tell(.upstreamConnected, side: .upstream, direction: .up)
    up.sink = stream
    down.source = stream
    stream.handler = self
    up.pump()
  }

  private func upstreamFailed(_ reason: String) {
    tell(.upstreamFailed(reason: reason), side: .upstream, direction: .up)
    proxy.counts.fail("upstream \(reason)")
    abort(.reset, faults: [])
  }

  // MARK: From the streams

  func readable(_ stream: ByteStream) {
    takeFaultsInIfChanged()
    switch state {
    case .relaying, .answering, .severed: if stream === client { up.pump() } else { down.pump() }
    case .connecting, .hanging, .over: break
    }
  }

  func writable(_ stream: ByteStream) {
    if state == .over { return }
    takeFaultsInIfChanged()
    if stream === client { down.drained() } else { up.drained() }
  }

  func hungUp(_ stream: ByteStream, _ error: NetworkError?) {
    if state == .over { return }
    takeFaultsInIfChanged()
    let side: Side = stream === client ? .client : .upstream
    if let error {
      if state == .relaying || state == .answering {
        // What came before is read first, if it may be; reading then meets the error.
        (side == .client ? up : down).pump()
        if state == .over { return }
      }
      failed(side, error)
    } else if state == .hanging {
      noteEnd(side, .fin, by: .client)
      leave()
    } else if (side == .client ? up : down).isHeldUp {
      noteEnd(side, .fin, by: side == .client ? .client : .server)
    }
  }

  // MARK: Ends

  /// A side's connection is gone. Its RST goes on behind what faults hold on the way from it, else at once.
  func failed(_ side: Side, _ error: NetworkError) {
    if state == .over { return }
    let from = side == .client ? up : down
    let back = side == .client ? down : up
    if !from.sourceGone {
      from.sourceGone = true
      noteEnd(side, error == .timedOut ? .timeout : .reset, by: side == .client ? .client : .server)
      back.sinkGone()
    }
    guard state == .relaying, from.holdsMarks else { return passReset(from) }
    // What came before the RST and has not been read for want of room is read later; reading then meets the error again.
    if !from.isHeldUp { from.passResetBehindHeld() }
  }

  /// Writing to `flow`'s sink failed. What came from there before it failed is read first.
  func sinkFailed(_ flow: Flow, _ error: NetworkError) {
    (flow.direction == .up ? down : up).pump()
    failed(flow.outgoingSide, error)
  }

  /// The RST of `from`'s source has come to the other side.
  func passReset(_ from: Flow) {
    if state == .over { return }
    let other: Side = from.direction == .up ? .upstream : .client
    if other == .client || upstream != nil {
      noteEnd(other, .reset, by: from.direction == .up ? .client : .server)
    }
    (other == .client ? client : upstream)?.reset()
    leave()
  }

  /// A direction's FIN was passed on, or its source has ended while nothing more is passed on.
  func flowEnded() {
    if state == .over { return }
    if state == .answering || state == .severed {
      if up.sourceEnded { leave() }
      return
    }
    if up.isFinished && down.isFinished {
      // Who has not sent a FIN itself is given time to.
      if up.sourceEnded && down.sourceEnded { return leave() }
      linger()
    }
  }

  private func linger() {
    if isLingering { return }
    isLingering = true
    proxy.lingerers.add(self)
  }

  /// The proxy's answer has been written.
  func endAnswer(_ faults: FaultSet) {
    noteEnd(.client, .fin, by: .proxy, faults)
    client.shutdownWrite()
    up.dropAll()
    linger()
  }

  /// Ends both sides at once, by the proxy itself.
  func abort(_ how: Ending.How, faults: FaultSet) {
    if state == .over { return }
    noteEnd(.client, how, by: .proxy, faults)
    if upstream != nil { noteEnd(.upstream, how, by: .proxy, faults) }
    client.reset()
    upstream?.reset()
    leave()
  }

  /// Ends both sides at once with a FIN, by the proxy itself; with an RST where something was not read.
  func end(faults: FaultSet = []) {
    if state == .over { return }
    noteEnd(.client, .fin, by: .proxy, faults)
    if upstream != nil { noteEnd(.upstream, .fin, by: .proxy, faults) }
    leave()
  }

  /// Gives everything back; the streams end with it.
  func leave() {
    state = .over
    for one in own { proxy.loop.disarm(one) }
    own = []
    connecting?.cancel()
    connecting = nil
    up.stop()
    down.stop()
    client.close()
    upstream?.close()
    proxy.remove(self)
  }

  /// Gives up the upstream with an RST, made or being made.
  func dropUpstream(by entry: FaultEntry) {
    connecting?.cancel()
    connecting = nil
    guard let upstream else { return }
    noteEnd(.upstream, .reset, by: .proxy, entry.faultSet)
    upstream.reset()
    self.upstream = nil
  }

  // MARK: Telling

  func tell(_ event: Observation.Event, side: Side, direction: Direction, _ more: FaultSet = []) {
    guard proxy.observe != nil else { return }
    takeFaultsInIfChanged()
    proxy.emit(
      Observation(
        time: now, connection: subject.connection, client: subject.client, side: side, direction: direction,
        faults: faults.union(more), event: event))
  }

  /// Tells once per side that its connection has ended.
  func noteEnd(_ side: Side, _ how: Ending.How, by: Ending.By, _ more: FaultSet = []) {
    if side == .client ? clientEnded : upstreamEnded { return }
    if side == .client { clientEnded = true } else { upstreamEnded = true }
    let direction: Direction
    switch by {
    case .client: direction = .up
    case .server: direction = .down
    case .proxy: direction = side == .client ? .down : .up
    }
    tell(.ended(Ending(how, by: by)), side: side, direction: direction, more)
  }
}
