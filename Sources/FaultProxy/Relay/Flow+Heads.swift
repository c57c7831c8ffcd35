import Core
import WebSocket

/// The opening handshake: heads are read whole, told, and passed on as they came; only compression is not offered on.
extension Flow {
  static let extensions = "Sec-WebSocket-Extensions"

  /// Reads a head whether or not frames are followed afterwards.
  func readHead() { phase = .head }

  func takeHead(_ chunk: UnsafeRawBufferPointer, _ now: Instant) {
    if drops { return }
    let reader =
      head
      ?? HeadReader(
        direction == .up ? .request : .response, maxBytes: proxy.configuration.caps.headBytes)
    head = reader
    do throws(HTTPError) {
      switch try reader.parser.consume(chunk) {
      case .needMore: reader.raw.append(contentsOf: chunk)
      case .request(let request, let consumed):
        reader.raw.append(contentsOf: chunk[..<consumed])
        head = nil
        takeRequest(request, raw: reader.raw, now)
        takeRest(UnsafeRawBufferPointer(rebasing: chunk[consumed...]), now)
      case .response(let response, let consumed):
        reader.raw.append(contentsOf: chunk[..<consumed])
        head = nil
        takeResponse(response, raw: reader.raw, now)
        takeRest(UnsafeRawBufferPointer(rebasing: chunk[consumed...]), now)
      }
    } catch {
      reader.raw.append(contentsOf: chunk)
      head = nil
      fail(error, raw: reader.raw, now)
    }
  }

  private func takeRequest(_ request: HTTPRequestHead, raw: [UInt8], _ now: Instant) {
    if let answer = relay.answerUpgrade() { return refuse(request, answer, now) }
    guard ServerHandshake.isUpgrade(request) else {
      // Plain HTTP passes; there are no frames in it.
      phase = .opaque
      raw.withUnsafeBytes { forward($0, now) }
      return otherBecomesOpaque(now)
    }
    phase = .frames
    var edited = request
    edited.headers.remove(Self.extensions)
    let isEdited = edited.headers.fields.count != request.headers.fields.count
    let bytes = isEdited ? edited.serialize() : raw
    bytes.withUnsafeBytes { forward($0, now) }
    var seen = Note(event: .upgradeRequest(Self.seen(request)), end: accepted, arrival: now)
    if isEdited {
      seen.sides = .incoming
      seen.disposition = .edited
      note(seen)
      seen.sides = .outgoing
      seen.event = .upgradeRequest(Self.seen(edited))
    }
    note(seen)
  }

  private func takeResponse(_ response: HTTPResponseHead, raw: [UInt8], _ now: Instant) {
    raw.withUnsafeBytes { forward($0, now) }
    // An interim answer, such as 103; the real one follows.
    if response.status < 200, response.status != 101 { return }
    note(
      Note(
        event: .upgradeResponse(UpgradeResponse(status: response.status, headers: response.headers.fields)),
        end: accepted, arrival: now))
    if response.status == 101, relay.up.phase == .frames {
      phase = .frames
    } else {
      phase = .opaque
      otherBecomesOpaque(now)
    }
  }

  /// Nothing of this connection has a meaning any more: what the other direction still waits with goes on.
  private func otherBecomesOpaque(_ now: Instant) {
    settle(now)
    if relay.isOver { return }
    let other: Flow = direction == .up ? relay.down : relay.up
    other.becomeOpaque(now)
    other.settle(now)
  }

  private func becomeOpaque(_ now: Instant) {
    if phase == .opaque { return }
    phase = .opaque
    letGoOfGate(now)
    guard let reader = head else { return }
    head = nil
    reader.raw.withUnsafeBytes { forward($0, now) }
  }

  private static func seen(_ request: HTTPRequestHead) -> UpgradeRequest {
    UpgradeRequest(target: request.target, headers: request.headers.fields)
  }

  /// The proxy answers in the upstream's place.
  private func refuse(
    _ request: HTTPRequestHead, _ answer: (status: Int, retryAfter: Duration?, faults: FaultSet), _ now: Instant
  ) {
    var response = HTTPResponseHead(status: answer.status)
    if let retryAfter = answer.retryAfter {
      // Whole seconds (RFC 9110 §10.2.3), rounded up, so that who honours it does not come too early.
      let seconds = (retryAfter.nanoseconds + 999_999_999) / 1_000_000_000
      response.headers.append("Retry-After", "\(seconds)")
    }
    response.headers.append("Connection", "close")
    response.headers.append("Content-Length", "0")
    note(
      Note(
        event: .upgradeRequest(Self.seen(request)), end: 0, arrival: now, sides: .incoming, disposition: .dropped,
        faults: answer.faults))
    settle(now)
    relay.down.answer(response, faults: answer.faults, now)
    phase = .opaque
  }

  /// Writes an answer of the proxy's own, then a FIN.
  private func answer(_ response: HTTPResponseHead, faults: FaultSet, _ now: Instant) {
    response.serialize().withUnsafeBytes { forward($0, now) }
    note(
      Note(
        event: .upgradeResponse(UpgradeResponse(status: response.status, headers: response.headers.fields)),
        end: accepted, arrival: now, sides: .outgoing, disposition: .injected, faults: faults))
    settle(now)
    if !relay.isOver { relay.endAnswer(faults) }
  }

  private func fail(_ error: HTTPError, raw: [UInt8], _ now: Instant) {
    violate(error.description, now)
    if case .headTooLarge = error {
      settle(now)
      proxy.counts.fail("HTTP head too large")
      return relay.abort(.reset, faults: [])
    }
    // Whatever it is, it passes; nothing of this connection is read for meaning any more.
    phase = .opaque
    raw.withUnsafeBytes { forward($0, now) }
    noteViolationPassed()
    otherBecomesOpaque(now)
  }

  /// The source has ended within a head: what there is of it passes.
  func endHead(_ now: Instant) {
    guard let reader = head else { return }
    head = nil
    phase = .opaque
    if reader.raw.isEmpty { return }
    proxy.counts.fail("ended within an HTTP head")
    reader.raw.withUnsafeBytes { forward($0, now) }
  }
}
