import Core
import Network

/// Puts bytes and ends on their way to the sink, which may have no room.
extension Flow {
  /// Puts bytes on their way to the sink.
  func forward(_ chunk: UnsafeRawBufferPointer, _ now: Instant) {
    if !drops { put(chunk, now) }
  }

  /// The same for what was taken in before this direction ended.
  func put(_ chunk: UnsafeRawBufferPointer, _ now: Instant) {
    if chunk.isEmpty { return }
    accepted &+= UInt64(chunk.count)
    if stages.isEmpty { write(chunk) } else { hold(chunk, now) }
  }

  /// Writes to the sink; what it has no room for waits in `unsent`.
  func write(_ chunk: UnsafeRawBufferPointer) {
    guard let sink, !hasUnsent else { return unsent.append(contentsOf: chunk) }
    if sinkError != nil { return }
    do throws(NetworkError) {
      let count = try sink.write(chunk)
      forwarded &+= UInt64(count)
      if count < chunk.count { unsent.append(contentsOf: chunk[count...]) }
    } catch { sinkError = error }
  }

  /// Puts a FIN or an RST on its way, behind what is held.
  func pass(_ mark: Segment.Mark) {
    if let gate, gate.hasWaiting { return gate.mark = mark }
    if !stages.isEmpty { hold(Segment(mark: mark), proxy.loop.now) } else { deliver(mark) }
  }

  /// The source's RST goes on behind what is held; nothing comes after it.
  func passResetBehindHeld() {
    if drops { return }
    releaseGate(proxy.loop.now)
    drops = true
    pass(.reset)
  }

  /// Whether marks wait behind what faults hold.
  var holdsMarks: Bool { !stages.isEmpty || gate?.hasWaiting == true }

  /// A mark has come to the sink.
  func deliver(_ mark: Segment.Mark) {
    switch mark {
    case .reset: relay.passReset(self)
    case .cut(let cut): relay.cut(self, cut)
    case .fin where hasUnsent: waitingMark = .fin
    case .fin:
      if isFinished { return }
      isFinished = true
      sink?.shutdownWrite()
      if let ender {
        relay.noteEnd(outgoingSide, .fin, by: .proxy, ender.faultSet)
      } else {
        relay.noteEnd(outgoingSide, .fin, by: direction == .up ? .client : .server)
      }
      relay.flowEnded()
    }
  }

  /// The sink has room again.
  func drained() {
    let now = proxy.loop.now
    if hasUnsent { writeUnsent() }
    tellPassed(now)
    if !hasUnsent { roomAgain(now) }
    settle(now)
    if !relay.isOver, isHeldUp { pump() }
  }

  private func roomAgain(_ now: Instant) {
    if let mark = waitingMark {
      waitingMark = nil
      deliver(mark)
    } else if !stages.isEmpty {
      advance(now)
    }
  }

  func writeUnsent() {
    guard let sink, hasUnsent, sinkError == nil else { return }
    do throws(NetworkError) {
      guard try drainPipe(to: sink) else { return }
      let count = try unsent.withUnsafeBytes { bytes in
        Result { () throws(NetworkError) in
          try sink.write(UnsafeRawBufferPointer(rebasing: bytes[unsentStart...]))
        }
      }.get()
      forwarded &+= UInt64(count)
      unsentStart += count
    } catch { sinkError = error }
    if !hasUnsent {
      unsent = []
      unsentStart = 0
    }
  }

  /// Whether the last stage must wait for the sink.
  var isBlocked: Bool { hasUnsent }
}
