import Core
import Network
import WebSocket

/// A stage in a direction, and whose it is.
struct FlowStage {
  var run: FaultRun
  /// The run's activation it was made for.
  var activation: Int
  var stage: ByteStage
  var hasTouched = false
}

/// What faults hold.
extension Flow {
  /// Whether a fault is at work here, so that its end matters.
  var isFaulted: Bool { !stages.isEmpty || gate != nil }

  func hold(_ chunk: UnsafeRawBufferPointer, _ now: Instant) { hold(Segment(chunk), now) }

  func hold(_ segment: Segment, _ now: Instant) {
    push(segment, into: 0, arrival: now)
    advance(now)
  }

  private func push(_ segment: Segment, into index: Int, arrival: Instant) {
    if stages[index].hasTouched {
      stages[index].run.acted(segment.count)
    } else {
      touch(stage: index, count: max(1, segment.count))
    }
    let stage = stages[index].stage
    let (lost, held) = (stage.lostBytes, stage.heldBytes)
    stage.push(segment, arrival: arrival)
    if stage.lostBytes > lost { noteLoss(segment.count, kept: stage.heldBytes - held, in: index) }
  }

  private func touch(stage index: Int, count: Int) {
    stages[index].hasTouched = true
    proxy.touch(stages[index].run, relay.subject, count: count)
  }

  /// A stage has thrown away all but the first `kept` of so many bytes: nothing from there on goes on.
  private func noteLoss(_ count: Int, kept: Int, in index: Int) {
    // What is before this stage has not come to it.
    let behind = stages[..<index].reduce(0) { $0 + $1.stage.heldBytes + $1.stage.lostBytes }
    let start = accepted &- UInt64(behind + count - kept)
    let faults = stages[index].run.entry.faultSet
    if let loss, loss.start <= start { return }
    loss = (start, faults)
  }

  /// Something could be read and a fault forbids it.
  func noteRefusedReading() {
    if drops || sink == nil { return }
    for index in stages.indices where stages[index].stage.stopsReading && !stages[index].hasTouched {
      touch(stage: index, count: 1)
    }
  }

  /// Lets go on what is due by `now`, from stage to stage and to the sink, and arms the timer for the next.
  func advance(_ now: Instant) {
    let last = stages.count - 1
    for index in stages.indices {
      // A stage is left by the time it was due, not by the time the loop came to it: lateness does not add up.
      while index < last, let (segment, due) = stages[index].stage.pop(now) {
        push(segment, into: index + 1, arrival: due)
      }
    }
    while !stages.isEmpty, !isBlocked, let (segment, _) = stages[stages.count - 1].stage.pop(now) {
      leave(segment)
      if relay.isOver { return }
    }
    if stages.contains(where: { $0.stage.isDone && $0.stage.isEmpty }) { removeDone() }
    tellPassed(now)
    if !isBlocked, endIfDue(now) { return }
    armForNext()
  }

  private func removeDone() {
    stages.removeAll { $0.stage.isDone && $0.stage.isEmpty }
    noteStageFaults()
  }

  private func leave(_ segment: Segment) {
    if let mark = segment.mark { deliver(mark) } else { segment.withBytes { write($0) } }
  }

  /// Whether a stage has ended the connection.
  private func endIfDue(_ now: Instant) -> Bool {
    for index in stages.indices {
      guard let ending = stages[index].stage.ending, ending.at <= now else { continue }
      relay.end(ending.how, by: stages[index].run)
      return true
    }
    return false
  }

  func armForNext() {
    var next = gate?.nextDue ?? .distantFuture
    for index in stages.indices {
      if let ending = stages[index].stage.ending { next = min(next, ending.at) }
      // What is due already waits for the sink, which tells when it has room.
      if let due = stages[index].stage.due, !(isBlocked && index == stages.count - 1) { next = min(next, due) }
    }
    if next == .distantFuture { proxy.loop.disarm(self) } else { proxy.loop.arm(self, at: next) }
  }

  // MARK: Faults that begin and end

  /// Takes in the faults that are on for this connection: makes stages and filters for new ones, lets go what ended
  /// ones hold.
  ///
  /// - `watching`: those that wait for a message, to begin behind it.
  func take(_ hits: [FaultRun], watching: [OwnTime] = []) {
    if hits.isEmpty && watching.isEmpty && !isFaulted { return }
    let now = proxy.loop.now
    changeOptions(hits, now)
    // New stages come first: what ended ones hold goes through those behind them.
    for run in hits where run.entry.direction.contains(direction) && run.entry.hooks.contains(.bytes) { addStage(run) }
    letGoOfEnded(hits, watching, now)
    if relay.isOver { return }
    for run in hits where run.entry.direction.contains(direction) {
      if !run.entry.hooks.isDisjoint(with: [.frames, .messages]), phase != .opaque || proxy.tracks { addFilter(run) }
    }
    if phase != .opaque || proxy.tracks { for own in watching { addTrigger(own) } }
    noteStageFaults()
    pending.touch(stageFaults)
    if gate?.hasWaiting == true || stages.contains(where: { $0.stage.ending != nil }) { armForNext() }
  }

  /// Faults whose options have changed take over what their former selves hold.
  private func changeOptions(_ hits: [FaultRun], _ now: Instant) {
    func successor(of former: FaultRun) -> FaultRun? {
      if former.isOn { return nil }
      return hits.first { $0.lineage === former.lineage && $0.entry.direction.contains(direction) }
    }
    for index in stages.indices {
      guard let run = successor(of: stages[index].run), run.entry.hooks.contains(.bytes) else { continue }
      guard let stage = run.entry.fault.stage(scope(run), direction) else { continue }
      stage.entry = run.entry
      let former = stages[index].stage
      let (held, lost) = (former.heldBytes, former.lostBytes)
      stage.adopt(former, at: now)
      stages[index] = FlowStage(
        run: run, activation: run.activation, stage: stage, hasTouched: stages[index].hasTouched)
      if stage.lostBytes > lost { noteLoss(held, kept: stage.heldBytes, in: index) }
    }
    guard let gate else { return }
    for index in gate.filters.indices where gate.filters[index].trigger == nil {
      guard let run = successor(of: gate.filters[index].run) else { continue }
      guard let filter = run.entry.fault.filter(scope(run), direction) else { continue }
      gate.filters[index] = FrameGate.Filter(
        run: run, activation: run.activation, filter: filter, hasTouched: gate.filters[index].hasTouched)
    }
  }

  private func noteStageFaults() {
    stageFaults = stages.reduce(into: FaultSet()) { $0.formUnion($1.run.entry.faultSet) }
  }

  private func letGoOfEnded(_ hits: [FaultRun], _ watching: [OwnTime], _ now: Instant) {
    func isOn(_ run: FaultRun, _ activation: Int) -> Bool {
      run.isOn && run.activation == activation && hits.contains { $0 === run }
    }
    // From the last to the first, so that bytes keep their order.
    for index in stages.indices.reversed() where !isOn(stages[index].run, stages[index].activation) {
      if let how = stages[index].stage.endsWithFault { return relay.end(how, by: stages[index].run) }
      let ended = stages.remove(at: index)
      // Bytes are missing: nothing can follow them.
      if ended.stage.lostBytes > 0, !ended.stage.hasCut {
        return relay.abort(.reset, faults: ended.run.entry.faultSet)
      }
      while let (segment, _) = ended.stage.popFirst() {
        if index < stages.count {
          push(segment, into: index, arrival: now)
        } else if let mark = segment.mark {
          writeUnsent()
          deliver(mark)
          if relay.isOver { return }
        } else {
          // Gathered, so that many small pieces are one write.
          segment.withBytes { unsent.append(contentsOf: $0) }
        }
      }
    }
    writeUnsent()
    guard let gate else { return }
    let before = gate.filters.count
    gate.filters.removeAll { filter in
      if let trigger = filter.trigger { return !watching.contains { $0 === trigger } }
      return !isOn(filter.run, filter.activation)
    }
    gate.letGo(of: isOn, now)
    if gate.filters.count < before, !gate.wantsMessages { releaseGate(now) }
    if gate.isIdle { self.gate = nil }
  }

  private func scope(_ run: FaultRun) -> FaultScope {
    var scope = proxy.scope(run, relay.subject, attempt: relay.attempt)
    scope.passed = accepted
    return scope
  }

  private func addStage(_ run: FaultRun) {
    if stages.contains(where: { $0.run === run && $0.activation == run.activation }) { return }
    guard let stage = run.entry.fault.stage(scope(run), direction) else { return }
    stage.entry = run.entry
    let place = stages.firstIndex { $0.run.entry.ordinal > run.entry.ordinal } ?? stages.count
    stages.insert(FlowStage(run: run, activation: run.activation, stage: stage), at: place)
  }

  private func addFilter(_ run: FaultRun) {
    if let gate, gate.filters.contains(where: { $0.run === run && $0.trigger == nil }) { return }
    guard let filter = run.entry.fault.filter(scope(run), direction) else { return }
    add(FrameGate.Filter(run: run, activation: run.activation, filter: filter))
  }

  private func addTrigger(_ own: OwnTime) {
    if let gate, gate.filters.contains(where: { $0.trigger === own }) { return }
    guard let filter = own.filter(direction) else { return }
    add(FrameGate.Filter(run: own.run, activation: own.activation, filter: filter, trigger: own))
  }

  private func add(_ filter: FrameGate.Filter) {
    let gate =
      gate
      ?? FrameGate(
        skipsFrame: phase == .frames && !tracker.isAtBoundary, isWithinMessage: isWithinMessage)
    self.gate = gate
    if filter.filter.wantsMessages { assembleSoon() }
    let place = gate.filters.firstIndex { $0.run.entry.ordinal > filter.run.entry.ordinal } ?? gate.filters.count
    gate.filters.insert(filter, at: place)
  }

  /// After faults have ended: what waited for room goes on.
  func resumeAfterRelease() {
    let now = proxy.loop.now
    letGoOfDue(now)
    advance(now)
    settle(now)
    if !relay.isOver, isHeldUp { pump() }
  }
}
