import Core
import Protocols
import WebSocket

/// Follows frames and messages as they pass.
extension Flow {
  /// Nothing drops frames here: the chunk passes whole, and what is complete in it is noted.
  func takeFrames(_ chunk: UnsafeRawBufferPointer, _ now: Instant) {
    let start = accepted
    var position = 0
    if assembles {
      while let slice = tracker.next(in: chunk, at: &position) {
        if slice.endsHere { frames &+= 1 }
        guard let event = assembler.accept(slice, of: chunk) else { continue }
        noteEvent(event, end: start &+ UInt64(slice.bytes.upperBound), now)
      }
    } else {
      while let slice = tracker.next(in: chunk, at: &position) { count(slice) }
    }
    if let failure = tracker.failure { trackerFailed(failure, end: start &+ UInt64(chunk.count), now) }
    forward(chunk, now)
  }

  /// Counts a message whose last frame ends here.
  @inline(__always)
  func count(_ slice: FrameSlice) {
    guard slice.endsHere, let header = slice.header else { return }
    frames &+= 1
    if header.opcode.isControl { return }
    isInMessage = !header.fin
    if header.fin { countMessage() }
  }

  /// A fault has come that asks for whole messages, on a connection where none were put together so far.
  func assembleSoon() {
    if assembles || isUnreadable { return }
    if tracker.isAtBoundary && !isInMessage { assembles = true } else { awaitsAssembly = true }
  }

  /// Whether the stream stands between the first and the last frame of a data message.
  var isWithinMessage: Bool { assembles ? assembler.isWithinMessage : isInMessage }

  @inline(__always)
  func countMessage() {
    messages &+= 1
    if direction == .up { proxy.counts.messagesUp &+= 1 } else { proxy.counts.messagesDown &+= 1 }
  }

  @inline(__always)
  private func noteEvent(_ event: WebSocketEvent, end: UInt64, _ now: Instant) {
    if case .message = event { countMessage() }
    if proxy.observe == nil, !event.isFailure { return }
    note(Note(event: observed(event, now), end: end, arrival: now))
  }

  /// The event as the judge is told of it; a message is scanned here, once.
  func observed(_ event: WebSocketEvent, _ now: Instant) -> Observation.Event {
    switch event {
    case .message(let isText, let payload): return .message(message(isText, payload))
    case .ping(let payload): return .ping(payload)
    case .pong(let payload): return .pong(payload)
    case .closeReceived(let code, let reason): return .closeFrame(code: code, reason: reason)
    case .failed(let failure):
      stopJudging()
      return .violation(reason: failure.reason)
    }
  }

  func message(_ isText: Bool, _ payload: [UInt8]) -> WireMessage {
    let facts =
      proxy.classifier?.facts(isText: isText, payload: payload, direction: direction)
      ?? MessageFacts(kind: .unclassified)
    return WireMessage(isText: isText, payload: payload, facts: facts)
  }

  private func stopJudging() {
    assembles = false
    awaitsAssembly = false
    isUnreadable = true
    proxy.counts.violations += 1
  }

  /// A header that is none: from here on bytes only pass.
  func trackerFailed(_ failure: ProtocolFailure, end: UInt64, _ now: Instant) {
    phase = .opaque
    guard assembles || !proxy.assembles else { return }  // it was told of before
    stopJudging()
    note(Note(event: .violation(reason: failure.reason), end: end, arrival: now))
  }

  /// Bytes that are no HTTP.
  func violate(_ reason: String, _ now: Instant) {
    stopJudging()
    note(Note(event: .violation(reason: reason), end: accepted, arrival: now))
  }

  /// The bytes that the last violation is about have been put on their way: it is told with them.
  func noteViolationPassed() {
    guard let last = proxy.notes.indices.last else { return }
    proxy.notes[last].end = accepted
  }
}

extension WebSocketEvent {
  var isFailure: Bool { if case .failed = self { true } else { false } }
}
