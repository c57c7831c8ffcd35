import Core
import WebSocket

/// The client's handshake: what it waits for, and how the answer is judged.
extension WebSocketConnection {
  struct Opening {
    let handshake: ClientHandshake
    var parser = HTTPHeadParser(kind: .response)
  }

  /// How many bytes the answer took; nil while it is incomplete, and after a failure.
  func receiveAnswer(_ bytes: UnsafeRawBufferPointer) -> Int? {
    do throws(HTTPError) {
      guard case .response(let head, let consumed)? = try opening?.parser.consume(bytes) else { return nil }
      return answered(head) ? consumed : nil
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
