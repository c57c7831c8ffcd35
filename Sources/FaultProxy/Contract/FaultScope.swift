public import Core
public import Protocols

/// What a hook is told: whom it is about, by which clock, and where its randomness comes from.
public struct FaultScope {
  public var entry: FaultEntry
  /// The loop's time.
  public var now: Instant
  public var seed: UInt64
  /// Nil in the edges, which are about no connection.
  public var subject: FaultTarget.Subject?
  /// What `Fault.makeShared` made for this loop.
  public var shared: AnyObject?
  /// Reads the run's protocol; nil for plain relaying.
  public var classifier: (any MessageClassifier)?

  /// A stream of draws for this fault's options on this connection and direction; the same in every run.
  ///
  /// Draws follow the client, not the connection's number, so that other clients' reconnects do not move them; a
  /// client's later connections go on with draws of their own.
  public func random(_ direction: Direction? = nil) -> SeededRandom {
    let way: UInt64 =
      switch direction {
      case .up: 1;
      case .down: 2;
      case nil: 3
      }
    let who = subject?.client.map { UInt64($0.number) << 2 } ?? (subject?.connection.rawValue ?? 0) << 2 | 1 << 63
    return SeededRandom(
      seed: seed ^ entry.salt, purpose: .faultOptions, subject: SeededRandom.mix(who | way) &+ attempt)
  }

  /// How many connections the client had made before this one, on this loop.
  public var attempt: UInt64 = 0
  /// For `stage`: the bytes that the direction has passed on before; 0 when it has not begun.
  public var passed: UInt64 = 0
}

/// What becomes of a new connection.
public enum AcceptDecision: Hashable, Sendable {
  /// It is relayed.
  case proceed
  /// An RST at once.
  case reset
  /// It stays connected and is neither read nor answered until the fault ends; then it is relayed.
  case hang
  /// Its upgrade request is read and answered with this status, and `Retry-After` if given; then a FIN.
  case answer(status: Int, retryAfter: Duration?)
}

/// What faults on connections may do to one.
public protocol FaultedConnection: AnyObject {
  var subject: FaultTarget.Subject { get }
  /// An RST to both sides; what is held or unsent is lost.
  func reset(by entry: FaultEntry)
  /// A FIN to the sides that `direction` names (down: the client, up: the server), behind what is held; nothing more is
  /// passed on.
  func close(by entry: FaultEntry)
  /// A close frame to the sides that `direction` names, at the next frame boundary, then `close`.
  func close(by entry: FaultEntry, code: UInt16?, reason: String)
  /// An RST to the upstream alone; the client's side stays open, what it sends is read and dropped, and nothing is said
  /// to it. When the fault ends it is reset.
  func cutUpstream(by entry: FaultEntry)
}

/// What a fault's edges may do to the proxy as a whole.
public protocol FaultedProxy: AnyObject {
  /// Stops listening: connects are refused by the system. Connections stay. Balanced by `openListener`.
  func closeListener(by entry: FaultEntry)
  func openListener(by entry: FaultEntry)
}
