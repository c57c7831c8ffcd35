/// Which side of the proxy something was seen at.
public enum Side: UInt8, Sendable { case client, upstream }

/// Which way something travelled: up from client to server, or down.
public enum Direction: UInt8, Sendable, CaseIterable { case up, down }

/// One thing that was seen: the judge's only input.
///
/// What crosses the proxy is emitted twice, once at each side: at the side it came in, with the time it arrived, and at
/// the side it went out, with the time it was forwarded. What a fault swallowed is emitted at the side it came in only,
/// as `dropped`; what a fault made is emitted at the side it went out only, as `injected`.
public struct Observation: Sendable {
  /// Where the knowledge comes from (`spec`: source).
  public enum Source: UInt8, Sendable { case wire, intent, http, audit, fault, run }

  /// What became of it at the proxy.
  public enum Disposition: UInt8, Sendable { case passed, delayed, dropped, edited, injected }

  /// When it was seen at `side`.
  public var time: Instant
  /// When the proxy passed it on (seen at the incoming side) or when it had arrived (seen at the outgoing side);
  /// nil while it is held and when it was dropped or injected.
  public var otherSideTime: Instant?
  public var connection: ConnectionID
  /// Who: known for simulated clients; for a foreign client from how it identifies itself; else nil.
  public var client: ClientID?
  public var side: Side
  public var direction: Direction
  public var source: Source
  public var disposition: Disposition
  /// The faults that touched it, or that were on for its connection when a connection event happened.
  public var faults: FaultSet
  public var event: Event

  public init(
    time: Instant, otherSideTime: Instant? = nil, connection: ConnectionID, client: ClientID? = nil, side: Side,
    direction: Direction, source: Source = .wire, disposition: Disposition = .passed, faults: FaultSet = [],
    event: Event
  ) {
    self.time = time
    self.otherSideTime = otherSideTime
    self.connection = connection
    self.client = client
    self.side = side
    self.direction = direction
    self.source = source
    self.disposition = disposition
    self.faults = faults
    self.event = event
  }

  public enum Event: Sendable {
    // Connections, at the client's side unless said.
    /// A TCP connection was accepted: an attempt, whatever becomes of it.
    case attempt
    /// The upstream connection was made (side: upstream).
    case upstreamConnected
    /// The upstream connection could not be made (side: upstream).
    case upstreamFailed(reason: String)
    /// The HTTP head of an upgrade request: target, and header fields in order.
    case upgradeRequest(UpgradeRequest)
    /// The status and header fields of the answer to it.
    case upgradeResponse(UpgradeResponse)
    /// TCP ended at `side`; `by` tells who ended it.
    case ended(Ending)

    // Frames.
    /// A whole data message.
    case message(WireMessage)
    /// A WebSocket ping with its payload.
    case ping([UInt8])
    /// A WebSocket pong with its payload.
    case pong([UInt8])
    /// A close frame; nil without a code.
    case closeFrame(code: UInt16?, reason: String)
    /// Bytes that are no valid WebSocket or HTTP: the rest of this direction is not judged.
    case violation(reason: String)

    // Beside the wire.
    /// What a client was asked to do, or says it did (source: intent).
    case intent(Intent)
    /// One HTTP exchange (source: http).
    case http(HTTPExchange)
    /// A fresh query of the audit, for a live subscription of `client` (source: audit).
    case audit(AuditAnswer)
    /// A fault's edge (source: fault).
    case fault(FaultEdge)
    /// The run as a whole: its phases, and times in which the generator was too late to be trusted (source: run).
    case run(RunEvent)
  }
}

public struct UpgradeRequest: Hashable, Sendable {
  public var target: String
  public var headers: [HeaderField]
  public init(target: String, headers: [HeaderField]) {
    self.target = target
    self.headers = headers
  }
}

public struct UpgradeResponse: Hashable, Sendable {
  public var status: Int
  public var headers: [HeaderField]
  public init(status: Int, headers: [HeaderField]) {
    self.status = status
    self.headers = headers
  }
}

/// One HTTP header field, name as written.
public struct HeaderField: Hashable, Sendable {
  public var name: String
  public var value: String
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// How TCP ended on one side of the proxy.
public struct Ending: Hashable, Sendable {
  public enum How: UInt8, Sendable { case fin, reset, timeout }
  public enum By: UInt8, Sendable { case client, server, proxy }
  public var how: How
  public var by: By
  public init(_ how: How, by: By) {
    self.how = how
    self.by = by
  }
}

public struct HTTPExchange: Hashable, Sendable {
  public var method: String
  public var target: String
  /// Nil when no answer came.
  public var status: Int?
  public var responseHeaders: [HeaderField]
  /// Whether the request carried a credential, and whether that one was meant to be good.
  public var credential: Credential
  public enum Credential: UInt8, Sendable { case none, good, bad }
  public init(
    method: String, target: String, status: Int?, responseHeaders: [HeaderField], credential: Credential = .none
  ) {
    self.method = method
    self.target = target
    self.status = status
    self.responseHeaders = responseHeaders
    self.credential = credential
  }
}

/// What the audit's fresh query answered, beside what the subscription last showed.
public struct AuditAnswer: Hashable, Sendable {
  /// Function path and canonical arguments, as one text.
  public var subscription: String
  /// Stable hash of the canonical text of the last value the subscription showed; nil if it showed none.
  public var shown: UInt64?
  /// The same of the fresh query's value; nil when the query failed.
  public var fresh: UInt64?
  /// Keys of the acknowledged markers that belong in the value and are not there (where audit can tell).
  public var missing: [Marker]
  /// Markers found more than once within the one value.
  public var repeated: [Marker]
  public init(subscription: String, shown: UInt64?, fresh: UInt64?, missing: [Marker] = [], repeated: [Marker] = []) {
    self.subscription = subscription
    self.shown = shown
    self.fresh = fresh
    self.missing = missing
    self.repeated = repeated
  }
}

public enum RunEvent: Hashable, Sendable {
  /// From here on the run is ending: faults are off, nothing new is wanted.
  case settleBegan
  /// The fresh queries begin.
  case auditBegan
  /// Clients are being closed; what is open now is cut off, not broken.
  case ended
  /// The generator's loop was this late at `time`.
  case stall(Duration)
}
