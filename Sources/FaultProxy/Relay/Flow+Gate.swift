import Core
import WebSocket

/// Frames and messages that faults decide about, and frames that faults put in.
extension Flow {
  /// Passes a chunk frame by frame.
  func takeGated(_ chunk: UnsafeRawBufferPointer, _ now: Instant) {
    var gate = currentGate
    reported = 0
    var position = 0
    while let slice = tracker.next(in: chunk, at: &position) {
      takeSlice(slice, of: chunk, gate, now)
      if slice.endsHere, !gate.fired.isEmpty {
        guard beginFired(gate, now) else { return }
        gate = currentGate
      }
      if slice.endsHere, gate.hasWaiting { letGoOfDue(now) }
      if slice.endsHere, injection != nil {
        flush(gate, now)
        inject(now)
        if relay.isOver { return }
      }
    }
    if let failure = tracker.failure {
      letGoOfAll(gate, now)
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
    if gate.hasWaiting { armForNext() }
    if gate.isIdle { self.gate = nil }
  }

  private var currentGate: FrameGate {
    if let gate { return gate }
    let made = FrameGate(skipsFrame: !tracker.isAtBoundary, isWithinMessage: isWithinMessage)
    gate = made
    return made
  }

  /// Nothing after this can be told apart: messages that wait go first.
  private func letGoOfAll(_ gate: FrameGate, _ now: Instant) {
    guard gate.isAtBoundary else { return gate.forgetWaiting() }
    while let message = gate.popDue(.distantFuture) { decide(message, gate, now) }
  }

  /// No frames are followed from here on: all that is held goes on.
  func letGoOfGate(_ now: Instant) {
    guard let gate else { return }
    letGoOfAll(gate, now)
    releaseGate(now)
  }

  func flush(_ gate: FrameGate, _ now: Instant) {
    if gate.out.isEmpty { return }
    let out = gate.out
    // No buffer stays behind on a connection that is idle.
    gate.out = []
    out.withUnsafeBytes { put($0, now) }
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
    var keepsPartial = false
    switch gate.fate {
    case .pass where header.opcode.isControl && !slice.endsHere && !gate.skipsFrame:
      // Goes on whole, so that others may go on before it.
      gate.partial.append(contentsOf: bytes)
      keepsPartial = true
    case .pass:
      gate.out += gate.partial
      gate.out.append(contentsOf: bytes)
    case .drop: break
    case .hold:
      gate.held += gate.partial
      gate.held.append(contentsOf: bytes)
      if gate.held.count > proxy.configuration.caps.message.maxMessageBytes { letGo(gate) }
    }
    if !keepsPartial { gate.partial = [] }
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
        if let trigger = gate.filters[index].trigger {
          gate.fired.append(trigger)
          continue
        }
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

  func acted(_ index: Int, _ gate: FrameGate) {
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
    gatedMessages &+= 1
    if gate.fate != .hold { return note(Note(event: .message(whole), end: end(), arrival: now)) }
    let frames = gate.held
    gate.held = []
    decide(GateMessage(whole, frames: frames, arrival: now, number: gatedMessages), gate, now)
  }

  /// The faults that held or dropped here have ended, or the direction ends: what is held passes.
  func releaseGate(_ now: Instant) {
    guard let gate, !gate.hasWaiting else { return }
    let hadPartial = !gate.partial.isEmpty
    letGo(gate)
    gate.out += gate.partial
    gate.partial = []
    if hadPartial { gate.skipsFrame = true }
    flush(gate, now)
  }
}
