public import Core
public import Network

/// What is known of an open connection now.
public struct ConnectionState: Sendable {
  public enum Phase: String, Sendable {
    /// The upstream is being reached.
    case connecting
    case relaying
    /// A fault leaves the client without a word.
    case hanging
    /// A fault answers in the upstream's place.
    case answering
    /// A fault has cut off the upstream; the client is left without a word.
    case severed
  }

  /// One direction of it.
  public struct Way: Equatable, Sendable {
    /// Bytes read from its source, and written to its sink.
    public var bytesIn: UInt64
    public var bytesOut: UInt64
    /// Bytes that faults hold, or that the sink had no room for.
    public var heldBytes: Int
    /// Whole frames and data messages; zero where frames are not followed.
    public var frames: UInt64
    public var messages: UInt64
    /// Its source has finished sending.
    public var isEnded: Bool
  }

  public var id: ConnectionID
  public var client: ClientID?
  public var peer: SocketAddress
  public var opened: Instant
  public var phase: Phase
  public var up: Way
  public var down: Way
  /// The names of the faults that are on for it, in their order.
  public var faults: [String]
}

extension Proxy {
  /// The open connections, oldest first: at most `limit`, from the first whose id is above `after`.
  public func connectionStates(after: ConnectionID? = nil, limit: Int = .max) -> [ConnectionState] {
    var states: [ConnectionState] = []
    var relay = first
    while let current = relay, states.count < limit {
      if after.map({ current.subject.connection > $0 }) ?? true { states.append(state(of: current)) }
      relay = current.next
    }
    return states
  }

  /// Nil if it is not open.
  public func connectionState(_ id: ConnectionID) -> ConnectionState? { relay(id).map(state(of:)) }

  func relay(_ id: ConnectionID) -> Relay? {
    var relay = first
    while let current = relay {
      if current.subject.connection == id { return current }
      relay = current.next
    }
    return nil
  }

  private func state(of relay: Relay) -> ConnectionState {
    let phase: ConnectionState.Phase =
      switch relay.state {
      case .connecting: .connecting
      case .relaying, .over: .relaying
      case .hanging: .hanging
      case .answering: .answering
      case .severed: .severed
      }
    let seed = configuration.seed
    let names = active.filter { $0 !== pauser && $0.entry.hits(relay.subject, seed: seed) }.map(\.entry.name)
    return ConnectionState(
      id: relay.subject.connection, client: relay.subject.client, peer: relay.client.peer, opened: relay.opened,
      phase: phase, up: relay.up.way, down: relay.down.way, faults: names)
  }
}

extension Flow {
  var way: ConnectionState.Way {
    let held = stages.reduce(0) { $0 + $1.stage.heldBytes } + (unsent.count - unsentStart) + (pipe?.count ?? 0)
    return ConnectionState.Way(
      bytesIn: received, bytesOut: forwarded, heldBytes: held, frames: frames, messages: messages,
      isEnded: sourceEnded || sourceGone)
  }
}
