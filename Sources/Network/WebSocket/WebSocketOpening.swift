import Core
import WebSocket

/// The client's handshake: what it waits for, and how the answer is judged.
extension WebSocketConnection {
  struct Opening {
    let handshake: ClientHandshake
    var parser = HTTPHeadParser(kind: .response)
  }

  /// More interim answers than these are no answer.
  private static let mostInterimAnswers = 8

  /// How many bytes the answer took; nil while it is incomplete, and after a failure.
  func receiveAnswer(_ bytes: UnsafeRawBufferPointer) -> Int? {
    do throws(HTTPError) {
      var taken = 0
      // Interim answers (1xx but 101) may come before the one that counts (RFC 9110 §15.2).
      for _ in 0...Self.mostInterimAnswers {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[taken...])
        guard case .response(let head, let consumed)? = try opening?.parser.consume(rest) else { return nil }
        taken += consumed
        if (100..<200).contains(head.status), head.status != 101 { continue }
        return answered(head) ? taken : nil
      }
      failHandshake(.malformedAnswer(.tooManyInterimAnswers(limit: Self.mostInterimAnswers)))
      return nil
    } catch {
      failHandshake(.malformedAnswer(error))
      return nil
    }
  }

  private func answered(_ head: HTTPResponseHead) -> Bool {
    guard let handshake = opening?.handshake else { return false }
    do throws(HandshakeError) {
      subprotocol = try handshake.validate(head)
      opening = nil
      stopTimer()
      handler?.webSocket(self, .opened(head))
      return !isOver
    } catch {
      if case .refused = error { handler?.webSocket(self, .refused(head)) }
      failHandshake(.handshake(error))
      return false
    }
  }

  private func failHandshake(_ failure: WebSocketClosure.Failure) {
    if isOver { return }
    weClose = true
    // The rest of a refusal's body is of no interest and would make a plain close an RST.
    linger()
    finish(.fin, failure)
  }

  func handshakeTimedOut() {
    weClose = true
    stream.reset()
    finish(.timeout, .handshakeTimeout)
  }
}
