import Core

/// What can happen to a client.
public enum SessionEvent: Sendable {
  /// Its time has come: what it wants, it wants from now on.
  case start
  /// The upgrade was answered with 101.
  case opened
  /// The attempt failed; the connection never opened.
  case connectFailed(ConnectFailure)
  case message(WireMessage)
  case ping([UInt8])
  case pong([UInt8])
  /// The connection ended without the session having asked.
  case closed(SessionClosure)
  case timer(SessionTimer)
  case command(SessionCommand)
}

/// Why an attempt to connect failed.
public enum ConnectFailure: Hashable, Sendable, CustomStringConvertible {
  /// The upgrade was answered with another status than 101; `retryAfter` as far as it parses.
  case refused(status: Int, retryAfter: Duration?)
  /// TCP failed, or what came was no answer to an upgrade; a short name of it.
  case network(String)
  /// No answer within the fleet's connect time-out.
  case timedOut

  /// A name to count it under.
  public var description: String {
    switch self {
    case .refused(let status, _): "upgrade refused: \(status)"
    case .network(let reason): "connect: \(reason)"
    case .timedOut: "connect: timed out"
    }
  }
}

/// How an open connection ended.
public enum SessionClosure: Hashable, Sendable, CustomStringConvertible {
  /// The peer sent a close frame.
  case closeFrame(code: UInt16?)
  /// TCP ended without a close frame.
  case ended
  /// An RST.
  case reset
  /// The peer broke WebSocket, or sent more than is taken; a short name of it.
  case failed(String)

  /// A name to count it under.
  public var description: String {
    switch self {
    case .closeFrame(let code): "closed by the server" + (code.map { ": \($0)" } ?? "")
    case .ended: "ended without a close frame"
    case .reset: "connection reset"
    case .failed(let reason): reason
    }
  }

  /// Whether it is the peer's fault, so that it is counted as an error and not only as a drop.
  public var isError: Bool { if case .failed = self { true } else { false } }
}

/// The timers of a session; each is armed at most once.
public enum SessionTimer: UInt8, CaseIterable, Sendable {
  /// The pause before the next attempt is over.
  case reconnect
  /// The next ping or heartbeat is due.
  case ping
  /// A join that was refused for a passing reason is asked again.
  case retry
}
