import Core
import WebSocket

/// What faults decide about whole messages, and messages that wait for their time.
extension Flow {
  /// More copies of a message than this are not made.
  private static let mostCopies = 1000

  /// Asks the faults about a message, in the order written, from the one behind the last that decided.
  func decide(_ message: GateMessage, _ gate: FrameGate, _ now: Instant) {
    var work = message
    for index in gate.filters.indices {
      let filter = gate.filters[index]
      guard filter.run.entry.ordinal > work.decided, filter.filter.wantsMessages else { continue }
      let decision = filter.filter.message(work.message, at: now)
      if let trigger = filter.trigger {
        if decision != .pass { gate.fired.append(trigger) }
        continue
      }
      if decision == .pass { continue }
      acted(index, gate)
      work.decided = filter.run.entry.ordinal
      work.faults.formUnion(filter.run.entry.faultSet)
      switch decision {
      case .pass: break
      case .drop: return tellDropped(work)
      case .replace(let payload):
        work.message = self.message(work.message.isText, payload)
        work.frames = []
        work.isEdited = true
      case .corrupt(let bytes, let reason): return putCorrupt(work, bytes, reason, gate)
      case .duplicate(let copies): work.copies = min(Self.mostCopies, work.copies + max(0, copies))
      case .delay(let due):
        tellHeld(&work)
        return gate.wait(work, until: due, filter)
      case .gather(let count, let deadline):
        tellHeld(&work)
        return gate.gather(work, count: count, until: deadline, filter, now)
      }
    }
    put(work, gate)
  }

  private func tellDropped(_ work: GateMessage) {
    if work.isTold { return }
    note(
      Note(
        event: .message(work.original), end: accepted, arrival: work.arrival, sides: .incoming, disposition: .dropped,
        faults: work.faults))
  }

  /// Tells that it has come in and does not go on yet.
  private func tellHeld(_ work: inout GateMessage) {
    if work.isTold { return }
    work.isTold = true
    note(
      Note(
        event: .message(work.original), end: .max, arrival: work.arrival, sides: .incoming,
        disposition: work.isEdited ? .edited : .delayed, faults: work.faults))
  }

  /// Puts a message on its way.
  private func put(_ work: GateMessage, _ gate: FrameGate) {
    gate.out += work.frames.isEmpty ? frame(work.message.isText, work.message.payload) : work.frames
    var seen = Note(
      event: .message(work.original), end: accepted &+ UInt64(gate.out.count), arrival: work.arrival,
      faults: work.faults)
    if work.isEdited || work.isTold {
      seen.disposition = work.isEdited ? .edited : .delayed
      seen.sides = .incoming
      if !work.isTold { note(seen) }
      seen.sides = .outgoing
      seen.event = .message(work.message)
    }
    note(seen)
    seen.sides = .outgoing
    seen.event = .message(work.message)
    seen.disposition = .injected
    for _ in 0..<work.copies {
      gate.out += frame(work.message.isText, work.message.payload)
      seen.end = accepted &+ UInt64(gate.out.count)
      note(seen)
    }
  }

  private func putCorrupt(_ work: GateMessage, _ bytes: [UInt8], _ reason: String, _ gate: FrameGate) {
    gate.out += bytes
    var seen = Note(
      event: .message(work.original), end: accepted &+ UInt64(gate.out.count), arrival: work.arrival,
      sides: .incoming, disposition: .edited, faults: work.faults)
    if !work.isTold { note(seen) }
    seen.sides = .outgoing
    seen.event = .violation(reason: reason)
    note(seen)
  }

  private func frame(_ isText: Bool, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    // Any key will do for bytes that the proxy makes; a fixed one keeps runs equal.
    FrameWriter.write(
      isText ? .text : .binary, payload: payload, mask: direction == .up ? FrameFilter.maskingKey : nil, into: &bytes)
    return bytes
  }

  // MARK: Messages that wait

  /// Lets go on the messages that are due, where one may begin; then the end that waits behind the last of them.
  func letGoOfDue(_ now: Instant) {
    guard let gate, gate.hasWaiting, gate.isAtBoundary || drops else { return }
    while let message = gate.popDue(now) { decide(message, gate, now) }
    flush(gate, now)
    if !gate.hasWaiting { endBehindWaiting(gate, now) }
    if relay.isOver { return }
    if gate.isIdle, self.gate === gate { self.gate = nil }
    armForNext()
  }

  private func endBehindWaiting(_ gate: FrameGate, _ now: Instant) {
    if injection != nil, tracker.isAtBoundary { return inject(now) }
    guard let mark = gate.mark else { return }
    gate.mark = nil
    releaseGate(now)
    if !proxy.notes.isEmpty { tellNotes(now) }
    pass(mark)
  }

  /// Begins the faults that waited for the frame that has just gone on. False if that has ended the connection.
  func beginFired(_ gate: FrameGate, _ now: Instant) -> Bool {
    let fired = gate.fired
    gate.fired = []
    flush(gate, now)
    if !proxy.notes.isEmpty { tellNotes(now) }
    for own in fired {
      relay.turn(own)
      if relay.isOver { return false }
    }
    return true
  }
}
