import Core

/// A network inside the process: what TCP shows (bounded buffers, half-close, RST, refused and hanging connects,
/// backlogs, latency) on one loop, deterministic for a seed.
///
/// @unchecked: confined to its loop.
public final class MemoryNetwork: @unchecked Sendable {
  /// What becomes of a connection request.
  public enum Admission: Sendable {
    case accept
    /// An RST answers it, as if nothing listened there.
    case refuse
    /// Nothing answers it.
    case hang
  }

  /// Ports given out to dialling ends, as Linux has them.
  private static let ephemeral: ClosedRange<UInt16> = 32768...60999

  private struct Connection: Hashable {
    var local: SocketAddress
    var peer: SocketAddress
  }
  private struct WeakListener { weak var listener: MemoryListener? }

  public let loop: EventLoop
  public let seed: UInt64
  /// One way; a change holds for what is sent from then on, and never reorders.
  public var latency: Duration { didSet { latencyNanoseconds = max(0, latency.nanoseconds) } }
  /// At most so much is added to the latency of each write, uniformly, drawn per connection and direction.
  public var jitter: Duration { didSet { jitterNanoseconds = max(0, jitter.nanoseconds) } }
  /// Bytes in flight and unread, per direction of a connection, that hold up the writer.
  public var capacity: Int
  /// Stricter than Linux: an RST takes the unread bytes before it.
  public var discardsUnreadOnReset = false
  /// Asked for every connection request, before the listener: to, from.
  public var admission: ((SocketAddress, SocketAddress) -> Admission)?
  /// Names that `resolve` knows beside "localhost"; any other name is a host of its own.
  public var names: [String: [SocketAddress]] = [:]

  @exclusivity(unchecked) private var latencyNanoseconds: Int64
  @exclusivity(unchecked) private var jitterNanoseconds: Int64
  private var listeners: [SocketAddress: WeakListener] = [:]
  private var held: Set<Connection> = []
  private var nextPort = MemoryNetwork.ephemeral.lowerBound
  private var nextNumber: UInt64 = 1
  // The streams there are, as a list in the order of their making.
  unowned(unsafe) private var first: MemoryStream?
  unowned(unsafe) private var last: MemoryStream?
  /// Connects that nothing answers, in the order in which they began to hang.
  private var hanging: [MemoryDial] = []

  public init(
    loop: EventLoop, seed: UInt64 = 1, latency: Duration = .microseconds(250), jitter: Duration = .zero,
    capacity: Int = 65536
  ) {
    self.loop = loop
    self.seed = seed
    self.latency = latency
    self.jitter = jitter
    self.capacity = capacity
    latencyNanoseconds = max(0, latency.nanoseconds)
    jitterNanoseconds = max(0, jitter.nanoseconds)
    link.network = self
    loop.waitReporters.append { [link] in link.network?.whoWaits() ?? [] }
  }

  deinit { link.network = nil }

  /// The loop's way to the network, without a weak reference, which every use of the network would pay for.
  private final class Link { unowned(unsafe) var network: MemoryNetwork? }
  private let link = Link()

  func delay(_ random: inout SeededRandom) -> Int64 {
    if jitterNanoseconds == 0 { return latencyNanoseconds }
    return latencyNanoseconds &+ random.integer(in: 0...jitterNanoseconds)
  }

  /// The delay of a handshake's step; without jitter, so that connects draw nothing.
  var handshakeDelay: Duration { .nanoseconds(latencyNanoseconds) }

  // MARK: Connections

  /// Both ends of a new connection, the dialling one first.
  public func pair(
    local: SocketAddress = .memory("local", port: 1), peer: SocketAddress = .memory("peer", port: 1)
  ) -> (MemoryStream, MemoryStream) {
    makePair(local: local, peer: peer, holdsPort: false)
  }

  func makePair(local: SocketAddress, peer: SocketAddress, holdsPort: Bool) -> (MemoryStream, MemoryStream) {
    let number = nextNumber
    nextNumber += 1
    let up = MemoryPipe(network: self, subject: number << 1)
    let down = MemoryPipe(network: self, subject: number << 1 | 1)
    up.reverse = down
    down.reverse = up
    let dialling = MemoryStream(
      network: self, number: number, local: local, peer: peer, incoming: down, outgoing: up, holdsPort: holdsPort)
    let accepting = MemoryStream(
      network: self, number: number, local: peer, peer: local, incoming: up, outgoing: down, holdsPort: false)
    remember(dialling)
    remember(accepting)
    return (dialling, accepting)
  }

  private func remember(_ stream: MemoryStream) {
    stream.previous = last
    if let last { last.next = stream } else { first = stream }
    last = stream
  }

  func forget(_ stream: MemoryStream) {
    if let next = stream.next { next.previous = stream.previous } else { last = stream.previous }
    if let previous = stream.previous { previous.next = stream.next } else { first = stream.next }
  }

  /// A free local address towards `peer`, held until `release`; nil when the ports have run out or the one asked for is
  /// taken.
  func hold(source: SocketAddress?, peer: SocketAddress) -> SocketAddress? {
    let host = source ?? peer.dialler
    if host.port != 0 {
      return held.insert(Connection(local: host, peer: peer)).inserted ? host : nil
    }
    for _ in 0..<Self.ephemeral.count {
      let candidate = host.with(port: nextPort)
      nextPort = nextPort == Self.ephemeral.upperBound ? Self.ephemeral.lowerBound : nextPort + 1
      if held.insert(Connection(local: candidate, peer: peer)).inserted { return candidate }
    }
    return nil
  }

  func release(local: SocketAddress, peer: SocketAddress) { held.remove(Connection(local: local, peer: peer)) }

  // MARK: Listeners

  func add(_ listener: MemoryListener, at address: SocketAddress) throws(NetworkError) -> SocketAddress {
    var address = address
    if address.port == 0 {
      var left = Self.ephemeral.count
      repeat {
        if left == 0 { throw .noPorts.at(address) }
        left -= 1
        address.port = nextPort
        nextPort = nextPort == Self.ephemeral.upperBound ? Self.ephemeral.lowerBound : nextPort + 1
      } while listeners[address] != nil
    }
    if listeners[address] != nil { throw .addressInUse.at(address) }
    listeners[address] = WeakListener(listener: listener)
    return address
  }

  func remove(at address: SocketAddress) { listeners[address] = nil }

  /// Who listens at `address`, or at every address of its kind with that port.
  func listener(at address: SocketAddress) -> MemoryListener? {
    listeners[address]?.listener ?? listeners[.ipv4(0, port: address.port)]?.listener
      ?? listeners[.ipv6(high: 0, low: 0, port: address.port)]?.listener
  }

  // MARK: Deadlocks

  func note(hanging dial: MemoryDial) { if !hanging.contains(where: { $0 === dial }) { hanging.append(dial) } }
  func forget(_ dial: MemoryDial) { hanging.removeAll { $0 === dial } }

  private func whoWaits() -> [String] {
    var states = hanging.map(\.state)
    var next = first
    while let stream = next {
      if let state = stream.state { states.append(state) }
      next = stream.next
    }
    return states
  }
}

extension SocketAddress {
  /// Where a connection to this address comes from when no source is named.
  fileprivate var dialler: SocketAddress {
    switch hostValue {
    case .ipv4: .loopback(port: 0)
    case .ipv6: .loopback6(port: 0)
    case .memory: .memory("local", port: 0)
    }
  }
}
