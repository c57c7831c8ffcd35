public import Core
public import Network
public import Protocols

/// A fault-injecting relay between clients and one upstream, with its own listener; one per loop.
///
/// Connections are driven by the loop's callbacks, without a task. With `observe` everything that crosses is told to the
/// judge, at both sides; see `Observation`.
///
/// @unchecked: confined to its transport's loop.
public final class Proxy: @unchecked Sendable {
  public let configuration: ProxyConfiguration
  public let timeline: FaultTimeline
  /// Told when a fault begins and ends on this loop.
  public var edges: ((FaultEdge, FaultEntry, Instant) -> Void)?

  let transport: any Transport
  /// How the upstream is reached; over TLS where the server wants that.
  let upstreamTransport: any Transport
  let loop: EventLoop
  let classifier: (any MessageClassifier)?
  let observe: ((Observation) -> Void)?
  /// Whether heads and frames are followed, and messages put together.
  let tracks: Bool
  let assembles: Bool
  /// Whether a target asks where connections come from.
  var needsHosts: Bool
  /// One per entry of the timeline, in its order.
  var runs: [FaultRun]
  /// Those that are on, in the order written.
  @exclusivity(unchecked) var active: [FaultRun] = []
  /// Changes whenever `active` does: what every connection compares on its way.
  @exclusivity(unchecked) var generation: UInt32 = 0
  /// What is gathered while one piece of bytes is looked at; empty between pieces.
  @exclusivity(unchecked) var notes: [Note] = []
  @exclusivity(unchecked) var counts = ProxyStatistics()

  var listener: (any Listener)?
  /// Where connections are passed on to; nil while that is not known, which ends them.
  public var upstream: SocketAddress?
  /// The ordinal of the next fault that is added.
  var nextFaultOrdinal: Int
  /// Holds everything while the proxy is paused.
  var pauser: FaultRun?
  public internal(set) var isEnabled = true
  /// How many faults keep the listener closed, and whether the proxy is disabled.
  var listenerClosers = 0
  /// The open connections, oldest first, as a list through `Relay.next`.
  var first: Relay?
  unowned(unsafe) var last: Relay?
  var nextOrdinal: UInt64 = 1
  /// Source addresses of our own clients' connects that have not been accepted yet.
  var expected: [SocketAddress: ClientID] = [:]
  /// Connections of each client so far.
  var attempts: [ClientID: UInt64] = [:]
  private(set) var isClosed = false

  lazy var schedule = FaultSchedule(self)
  lazy var lingerers = Lingerers(self)

  /// - Parameters:
  ///   - classifier: reads the run's protocol, so that messages are scanned once here; nil: they stay unclassified.
  ///   - upstreamTransport: how the upstream is reached, on the same loop; nil: as clients reach the proxy.
  ///   - observe: called on the loop, in order of time. Nil: nothing is put together or scanned for it.
  public init(
    transport: any Transport, configuration: ProxyConfiguration, timeline: FaultTimeline = FaultTimeline(),
    classifier: (any MessageClassifier)? = nil, upstreamTransport: (any Transport)? = nil,
    observe: ((Observation) -> Void)? = nil
  ) {
    self.transport = transport
    self.upstreamTransport = upstreamTransport ?? transport
    loop = transport.loop
    self.configuration = configuration
    self.timeline = timeline
    self.classifier = classifier
    self.observe = observe
    tracks = configuration.trackFrames || timeline.needsFrames
    assembles = tracks && (timeline.needsMessages || (observe != nil && configuration.assembleMessages))
    upstream = configuration.upstream
    nextFaultOrdinal = (timeline.entries.map(\.ordinal).max() ?? -1) + 1
    needsHosts = configuration.isSteered || timeline.entries.contains(where: \.needsHost)
    runs = timeline.entries.map { FaultRun($0) }
  }

  deinit {
    assert(loop.isConfined, "a proxy was dropped off its loop")
    close()
  }

  // MARK: Life

  /// Listens. Answers the address, with the port that was given.
  @discardableResult
  public func start() throws(NetworkError) -> SocketAddress {
    assert(loop.isConfined, "started off the loop")
    // Not weak: weak references make every use of the proxy dearer. `close` ends the listener, so nothing comes after it.
    let listener = try transport.listen(on: configuration.listen) { [unowned(unsafe) self] in accepted($0) }
    self.listener = listener
    if listenerClosers > 0 { listener.close() }
    return listener.address
  }

  /// Where it listens; nil before `start`.
  public var address: SocketAddress? { listener?.address }

  /// Tells that the connection from `local` will be `client`'s; call it before the connection is made.
  public func expect(local: SocketAddress, client: ClientID, fleet: Int) {
    expected[local] = client
    // Nobody listens: the system refuses this one, and no accept will tell.
    if listenerClosers > 0 { schedule.refusedBySystem(client) }
  }

  /// Faults count from here on; one at 0 begins now.
  public func begin(at epoch: Instant) { schedule.begin(at: epoch) }

  /// Ends all faults for good: what was held goes on, the listener is back, what has not begun never will.
  public func liftFaults() { schedule.lift() }

  /// Ends every connection with an RST and stops listening.
  public func close() {
    if isClosed { return }
    isClosed = true
    pauser = nil
    schedule.stop()
    listener?.close()
    listener = nil
    lingerers.stop()
    while let relay = first { relay.abort(.reset, faults: []) }
    expected = [:]
  }

  // MARK: Results

  /// What each fault of the timeline did on this loop, in its order. One that touched nobody has no applications.
  public var applications: [FaultApplication] { runs.map(\.result) }

  public var statistics: ProxyStatistics {
    var result = counts
    forEachRelay { result.unseenMessages += $0.up.unseenMessages + $0.down.unseenMessages }
    return result
  }

  /// Connections the system could not give the listener, for want of descriptors.
  public var acceptFailures: Int { listener?.acceptFailures ?? 0 }

  /// The ids of the open connections, ascending.
  public var connections: [ConnectionID] {
    var ids: [ConnectionID] = []
    forEachRelay { ids.append($0.subject.connection) }
    return ids
  }

  // MARK: Connections

  func add(_ relay: Relay) {
    relay.previous = last
    if let last { last.next = relay } else { first = relay }
    last = relay
    counts.open += 1
  }

  func remove(_ relay: Relay) {
    let next = relay.next
    if let next { next.previous = relay.previous } else { last = relay.previous }
    if let previous = relay.previous { previous.next = next } else { first = next }
    relay.next = nil
    relay.previous = nil
    counts.open -= 1
  }

  /// Oldest first. `body` may end the one it is given.
  func forEachRelay(_ body: (Relay) -> Void) {
    var relay = first
    while let current = relay {
      relay = current.next
      body(current)
    }
  }

  @inline(__always)
  func emit(_ observation: @autoclosure () -> Observation) { if let observe { observe(observation()) } }

  func scope(_ run: FaultRun, _ subject: FaultTarget.Subject?, attempt: UInt64 = 0) -> FaultScope {
    FaultScope(
      entry: run.entry, now: loop.now, seed: configuration.seed, subject: subject, shared: run.shared,
      classifier: classifier, attempt: attempt)
  }
}
