import Core
import Network
import WebSocket

/// Short names for how connections end: what a hostile peer writes stays out of them.
extension SessionClosure {
  init(_ closure: WebSocketClosure) {
    switch closure.failure {
    case .violation(let failure): self = .failed("\(failure)")
    case .sendQueueFull: self = .failed("the server reads too slowly")
    case .closeTimeout, .handshakeTimeout, .handshake, .malformedAnswer, .endedInHandshake, nil:
      if let frame = closure.closeFrame {
        self = .closeFrame(code: frame.code)
      } else {
        switch closure.ending {
        case .fin: self = .ended
        case .reset: self = .reset
        case .timeout: self = .failed("the connection timed out")
        }
      }
    }
  }
}

extension ConnectFailure {
  init(_ error: NetworkError) { self = error == .timedOut ? .timedOut : .network(error.name) }

  init(_ closure: WebSocketClosure) {
    switch closure.failure {
    case .handshake(.refused(let head)): self = .refused(status: head.status, retryAfter: RetryAfter.parse(head))
    case .handshake(.oldVersion): self = .network("101 over HTTP/1.0")
    case .handshake(.missingUpgrade): self = .network("101 without Upgrade: websocket")
    case .handshake(.missingConnection): self = .network("101 without Connection: Upgrade")
    case .handshake(.wrongAccept): self = .network("101 with a wrong Sec-WebSocket-Accept")
    case .handshake(.unexpectedExtension): self = .network("101 with an extension that was not offered")
    case .handshake(.unexpectedSubprotocol): self = .network("101 with a subprotocol that was not offered")
    case .malformedAnswer: self = .network("the answer to the upgrade is not HTTP")
    case .handshakeTimeout: self = .timedOut
    case .endedInHandshake:
      self = .network(closure.ending == .reset ? "reset in the upgrade" : "ended in the upgrade")
    case .violation, .closeTimeout, .sendQueueFull, nil: self = .network("ended in the upgrade")
    }
  }
}
