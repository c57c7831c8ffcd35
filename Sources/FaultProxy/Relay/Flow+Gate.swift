import Core
import WebSocket

/// Frames and messages that faults decide about, and frames that faults put in.
extension Flow {
  /// Passes a chunk frame by frame.
  func takeGated(_ chunk: UnsafeRawBufferPointer, _ now: Instant) {
    let gate = gate ?? FrameGate(skipsFrame: !tracker.isAtBoundary, isWithinMessage: isWithinMessage)
    self.gate = gate
    reported = 0
    var position = 0
    while let slice = tracker.next(in: chunk, at: &position) {
      takeSlice(slice, of: chunk, gate, now)
      if slice.endsHere, injection != nil {
        flush(gate, now)
        inject(now)
        if relay.isOver { return }
      }
    }
    if let failure = tracker.failure {
      gate.out += gate.held + gate.partial
      (gate.held, gate.partial) = ([], [])
      // The tracker has taken the chunk to its end; what it did not report passes as it is.
      gate.out.append(contentsOf: chunk[reported...])
      trackerFailed(failure, end: accepted &+ UInt64(gate.out.count), now)
      flush(gate, now)
      self.gate = nil
      return dropInjection(now)
    }
    flush(gate, now)
    if gate.isIdle { self.gate = nil }
  }

  private func flush(_ gate: FrameGate, _ now: Instant) {
    if gate.out.isEmpty { return }
    let out = gate.out
    // No buffer stays behind on a connection that is idle.
    gate.out = []
    out.withUnsafeBytes { forward($0, now) }
  }

  private func takeSlice(_ slice: FrameSlice, of chunk: UnsafeRawBufferPointer, _ gate: FrameGate, _ now: Instant) {
    reported = slice.bytes.upperBound
    let bytes = UnsafeRawBufferPointer(rebasing: chunk[slice.bytes])
    guard let header = slice.header else {
      // A header in pieces: nothing is known of the frame yet.
      if gate.skipsFrame { gate.out.append(contentsOf: bytes) } else { gate.partial.append(contentsOf: bytes) }
      return
    }
    if slice.headerEndsHere { decide(header, gate, now) }
    let event = assembles ? assembler.accept(slice, of: chunk) : nil
    switch gate.fate {
    case .pass:
      gate.out += gate.partial
      gate.out.append(contentsOf: bytes)
    case .drop: break
    case .hold:
      gate.held += gate.partial
      gate.held.append(contentsOf: bytes)
      if gate.held.count > proxy.configuration.caps.message.maxMessageBytes { letGo(gate) }
    }
    gate.partial.removeAll(keepingCapacity: true)
    if assembles, slice.endsHere { frames &+= 1 }
    if let event { take(event, gate, now) } else if !assembles { count(slice) }
    guard slice.endsHere else { return }
    if awaitsAssembly, !isInMessage {
      awaitsAssembly = false
      assembles = true
    }
    gate.skipsFrame = false
    if !header.opcode.isControl, header.fin {
      letGo(gate)
      gate.messageFate = nil
    }
    gate.fate = .pass
    gate.droppers = []
  }

  /// What is held of a message passes without a decision.
  private func letGo(_ gate: FrameGate) {
    gate.out += gate.held
    gate.held = []
    if gate.messageFate == .hold { gate.messageFate = .pass }
    if gate.fate == .hold { gate.fate = .pass }
  }

  /// A header is complete: decides about its frame.
  private func decide(_ header: FrameHeader, _ gate: FrameGate, _ now: Instant) {
    gate.fate = drops ? .drop : .pass
    if drops || gate.skipsFrame {
      if !header.opcode.isControl, !header.fin, gate.messageFate == nil { gate.messageFate = .pass }
      return
    }
    if header.opcode.isControl {
      for index in gate.filters.indices where gate.filters[index].filter.control(header, at: now) == .drop {
        gate.fate = .drop
        gate.droppers = gate.filters[index].run.entry.faultSet
        acted(index, gate)
        return
      }
    } else {
      let fate = gate.messageFate ?? (gate.wantsMessages && assembles ? .hold : .pass)
      gate.messageFate = fate
      gate.fate = fate
    }
  }

  private func acted(_ index: Int, _ gate: FrameGate) {
    let run = gate.filters[index].run
    if gate.filters[index].hasTouched {
      run.acted(1)
    } else {
      gate.filters[index].hasTouched = true
      proxy.touch(run, relay.subject)
    }
  }

  /// A frame or message is whole.
  private func take(_ event: WebSocketEvent, _ gate: FrameGate, _ now: Instant) {
    func end() -> UInt64 { accepted &+ UInt64(gate.out.count) }
    if drops {
      note(
        Note(
          event: observed(event, now), end: end(), arrival: now, sides: .incoming, disposition: .dropped,
          faults: ender?.faultSet ?? []))
      return
    }
    guard case .message(let isText, let payload) = event else {
      if event.isFailure { letGo(gate) }
      var seen = Note(event: observed(event, now), end: end(), arrival: now)
      if gate.fate == .drop {
        seen.sides = .incoming
        seen.disposition = .dropped
        seen.faults = gate.droppers
      }
      return note(seen)
    }
    countMessage()
    let whole = message(isText, payload)
    if gate.fate != .hold { return note(Note(event: .message(whole), end: end(), arrival: now)) }
    for index in gate.filters.indices where gate.filters[index].filter.wantsMessages {
      let decision = gate.filters[index].filter.message(whole, at: now)
      if decision == .pass { continue }
      acted(index, gate)
      return take(whole, decision, gate.filters[index].run.entry.faultSet, gate, now)
    }
    letGo(gate)
    note(Note(event: .message(whole), end: end(), arrival: now))
  }

  /// Does to a held message what a fault has decided.
  private func take(
    _ whole: WireMessage, _ decision: FrameFilter.MessageDecision, _ faults: FaultSet, _ gate: FrameGate, _ now: Instant
  ) {
    let frames = gate.held
    gate.held = []
    var seen = Note(event: .message(whole), end: accepted, arrival: now, faults: faults)
    func put(_ bytes: [UInt8]) {
      gate.out += bytes
      seen.end = accepted &+ UInt64(gate.out.count)
    }
    switch decision {
    case .pass:
      put(frames)
      note(seen)
    case .drop:
      seen.end = accepted &+ UInt64(gate.out.count)
      seen.sides = .incoming
      seen.disposition = .dropped
      note(seen)
    case .replace(let payload):
      put(frame(whole.isText, payload))
      seen.disposition = .edited
      seen.sides = .incoming
      note(seen)
      seen.sides = .outgoing
      seen.event = .message(message(whole.isText, payload))
      note(seen)
    case .duplicate(let copies):
      put(frames)
      note(seen)
      seen.sides = .outgoing
      seen.disposition = .injected
      for _ in 0..<max(0, copies) {
        put(frame(whole.isText, whole.payload))
        note(seen)
      }
    }
  }

  private func frame(_ isText: Bool, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    // Any key will do for bytes that the proxy makes; a fixed one keeps runs equal.
    FrameWriter.write(
      isText ? .text : .binary, payload: payload, mask: direction == .up ? 0x0B10_AD00 : nil, into: &bytes)
    return bytes
  }

  /// The faults that held or dropped here have ended, or the direction ends: what is held passes.
  func releaseGate(_ now: Instant) {
    guard let gate else { return }
    let hadPartial = !gate.partial.isEmpty
    letGo(gate)
    gate.out += gate.partial
    gate.partial = []
    if hadPartial { gate.skipsFrame = true }
    flush(gate, now)
  }
}
