import Core
import Network
import WebSocket

/// How a direction ends before its source has ended it.
extension Flow {
  /// What the source still sends is for nobody.
  func dropAll() { drops = true }

  /// The sink's connection is gone: what the source still sends is dropped.
  func sinkGone() {
    isFinished = true
    drops = true
    forget()
  }

  /// A fault ends this direction: a frame at the next boundary if given, then a FIN behind what is held; what comes
  /// after is dropped.
  func finish(by entry: FaultEntry, frame: InjectedClose?) {
    if isFinished || ender != nil || drops { return }
    ender = entry
    let now = proxy.loop.now
    if let frame, phase == .frames, tracker.failure == nil {
      injection = frame
      if !tracker.isAtBoundary { return proxy.lingerers.add(relay) }
      inject(now)
    } else {
      endBehindHeld(now)
    }
    settle(now)
  }

  /// Stands at a boundary: puts the close frame in.
  func inject(_ now: Instant) {
    guard let frame = injection, let ender else { return }
    // Messages that wait for their time go before it.
    if let gate, gate.hasWaiting { return }
    injection = nil
    releaseGate(now)
    var bytes: [UInt8] = []
    let payload = FrameWriter.closePayload(code: frame.code, reason: frame.reason)
    FrameWriter.write(.close, payload: payload, mask: direction == .up ? maskingKey(ender) : nil, into: &bytes)
    bytes.withUnsafeBytes { forward($0, now) }
    note(
      Note(
        event: .closeFrame(code: frame.code, reason: frame.reason), end: accepted, arrival: now, sides: .outgoing,
        disposition: .injected, faults: ender.faultSet))
    endBehindHeld(now)
  }

  private func maskingKey(_ entry: FaultEntry) -> UInt32 {
    var random = SeededRandom(
      seed: proxy.configuration.seed ^ entry.salt, purpose: .masking, subject: relay.subject.connection.rawValue)
    return UInt32(truncatingIfNeeded: random.next())
  }

  private func endBehindHeld(_ now: Instant) {
    // Within a frame nothing can be put in any more.
    if let gate, !gate.isAtBoundary { gate.forgetWaiting() }
    releaseGate(now)
    drops = true
    // Told before the FIN, whose end is told at once.
    if !proxy.notes.isEmpty { tellNotes(now) }
    pass(.fin)
    if !relay.isOver, isHeldUp { pump() }
  }

  /// The rest of this direction has no frames, so no boundary will come: the FIN goes without the close frame.
  func dropInjection(_ now: Instant) {
    guard injection != nil else { return }
    injection = nil
    endBehindHeld(now)
  }

  /// A fault has ended the connection at a place in this direction, which has come to the sink.
  func cut(by entry: FaultEntry) {
    ender = entry
    drops = true
    if !proxy.notes.isEmpty { tellNotes(proxy.loop.now) }
    deliver(.fin)
    if !relay.isOver, isHeldUp { pump() }
  }

  /// The other side's connection is gone by a fault: what the source still sends is read and dropped.
  func sever(by entry: FaultEntry) {
    ender = entry
    sinkGone()
    sink = nil
  }

  /// What this direction still had for its sink is for nobody, and nothing more comes.
  func silence() {
    forget()
    source = nil
  }

  func stop() {
    if isStopped { return }
    isStopped = true
    proxy.counts.unseenMessages += unseenMessages
    forget()
    source = nil
    sink = nil
    head = nil
    gate = nil
  }

  private func forget() {
    proxy.loop.disarm(self)
    for stage in stages { stage.stage.clear() }
    stages = []
    stageFaults = []
    unsent = []
    unsentStart = 0
    dropPipe()
    pending = PendingNotes()
    waitingMark = nil
    gate?.forgetWaiting()
  }
}
