import Core
import Metrics
import Network
import Protocols

/// The clients of one loop: starts them, gives them their work, records what they measure, and ends them.
///
/// `run` is the task that owns them, one child task each; the other calls come from another task on the same loop.
/// @unchecked: confined to its loop.
public final class FleetRunner: @unchecked Sendable {
  public struct Configuration {
    public var protocolName: ProtocolName
    /// The names of palbase's events.
    public var wire = PalbaseWire()
    /// Reads what comes; nil: one of its own. A loop's proxy and clients share one.
    public var classifier: (any MessageClassifier)?
    /// Told of every error by name, with the client it happened to.
    public var noted: ((String, ClientID, Instant) -> Void)?
    public var plans: [FleetPlan]
    /// The clients that live on this loop.
    public var clients: [ClientID]
    public var dial: ClientDial
    public var seed: UInt64
    /// Goes into markers.
    public var runTag: UInt32
    public var timeline: WindowTimeline
    public var events: [ClientEvent]
    /// Shared by all loops of the run.
    public var propagation: PropagationTable
    /// Gets the clients' intents and the audit's answers. Their connection is 0: a client does not know the proxy's number.
    public var observe: ((Observation) -> Void)?
    /// Since when a fault has been on for a client, as far as the run knows; what `detection` counts from. Without it, it
    /// counts from the ping that was not answered.
    public var faultSince: ((ClientID, Instant) -> Instant?)?

    public init(
      protocolName: ProtocolName, plans: [FleetPlan], clients: [ClientID], dial: ClientDial, seed: UInt64,
      runTag: UInt32, timeline: WindowTimeline, events: [ClientEvent] = [],
      propagation: PropagationTable = PropagationTable(), observe: ((Observation) -> Void)? = nil,
      faultSince: ((ClientID, Instant) -> Instant?)? = nil, classifier: (any MessageClassifier)? = nil
    ) {
      self.classifier = classifier
      self.protocolName = protocolName
      self.plans = plans
      self.clients = clients
      self.dial = dial
      self.seed = seed
      self.runTag = runTag
      self.timeline = timeline
      self.events = events
      self.propagation = propagation
      self.observe = observe
      self.faultSince = faultSince
    }

    /// The clients of loop `index` of `count`: every `count`-th, so that each loop has its part of every fleet.
    public static func clients(of plans: [FleetPlan], loop index: Int, of count: Int) -> [ClientID] {
      plans.flatMap { plan in
        plan.numbers.filter { Int($0) % max(count, 1) == index }.map { ClientID($0) }
      }
    }
  }

  public let transport: any Transport
  public var loop: EventLoop { transport.loop }
  /// The figures so far; whole once `run` has returned.
  public internal(set) var metrics: MetricSet
  /// How each fleet is doing, in the order of the plans.
  public internal(set) var gauges: [FleetGauge]

  let configuration: Configuration
  let dial: ClientDial
  let seed: UInt64
  let classifier: any MessageClassifier
  let values = ValueStore()
  var ledger: PropagationLedger
  var confirmed = ConfirmedMarkers()
  var clients: [ClientRunner] = []
  var isSettling = false
  /// Clients that lack something they want.
  var notLive = 0
  var isStopping = false
  var lastMessage = Instant.zero
  var auditor: Auditor?
  private var scratch: [SessionAction] = []
  private var eventTimers: [CallbackTimer] = []

  public init(transport: any Transport, configuration: Configuration) {
    self.transport = transport
    self.configuration = configuration
    dial = configuration.dial
    seed = configuration.seed
    classifier =
      configuration.classifier
      ?? CachingClassifier(configuration.protocolName.classifier(wire: configuration.wire))
    ledger = PropagationLedger(configuration.propagation)
    let highest = configuration.plans.last.map { Int($0.numbers.upperBound) } ?? 0
    metrics = MetricSet(timeline: configuration.timeline, clients: highest)
    gauges = configuration.plans.map { FleetGauge(name: $0.name) }
    for id in configuration.clients {
      guard let plan = configuration.plans.first(where: { $0.numbers.contains(id.number) }) else { continue }
      let context = context(of: id, plan)
      let session: any ClientSession =
        switch configuration.protocolName {
        case .onebase: OnebaseSession(context)
        case .palbase, .phoenix: PalbaseSession(context)
        case .echo, .websocket: EchoSession(context)
        }
      clients.append(ClientRunner(id, plan, self, session: session))
      gauges[plan.ordinal].clients += 1
      gauges[plan.ordinal].off += 1
    }
    notLive = clients.count
  }

  func context(of id: ClientID, _ plan: FleetPlan) -> SessionContext {
    var context = SessionContext(
      client: id, plan: plan, seed: seed, runTag: configuration.runTag, token: plan.token.token(of: id, seed: seed),
      values: values, wantsIntents: configuration.observe != nil)
    context.wire = configuration.wire
    return context
  }

  // MARK: Running

  /// Runs the clients, from `beginning` on (default: now), until `stop` or until the task is cancelled. Every connection
  /// is closed when it returns.
  public func run(from beginning: Instant? = nil) async {
    let beginning = beginning ?? loop.now
    for event in configuration.events {
      let timer = CallbackTimer { [unowned self] in self.happen(event) }
      eventTimers.append(timer)
      loop.arm(timer, at: beginning + event.at)
    }
    await withDiscardingTaskGroup { group in
      for client in clients {
        let start = beginning + client.plan.start(of: client.id)
        group.addTask(executorPreference: loop) { await client.live(from: start) }
      }
    }
    for timer in eventTimers { loop.disarm(timer) }
    eventTimers = []
    ledger.finish(at: loop.now, &metrics)
    metrics.timeline.finish(at: loop.now)
  }

  /// Ends every client in an orderly way; `run` returns soon after.
  public func stop() {
    isStopping = true
    for client in clients { client.finish() }
  }

  private func happen(_ event: ClientEvent) {
    if isSettling { return }
    let command: SessionCommand =
      switch event.kind {
      case .restart: .restart
      case .offline: .goOffline
      case .online: .goOnline
      }
    for client in clients where event.fleet == nil || event.fleet == client.plan.ordinal { client.command(command) }
  }

  /// Gives one client a command, as a scenario's timeline would.
  public func command(_ command: SessionCommand, client: ClientID) {
    clients.first { $0.id == client }?.command(command)
  }

  // MARK: What clients report

  func takeScratch() -> [SessionAction] {
    defer { scratch = [] }
    return scratch
  }

  func putBack(_ actions: inout [SessionAction]) {
    actions.removeAll(keepingCapacity: true)
    swap(&actions, &scratch)
  }

  func started(_ client: ClientRunner, at now: Instant) {
    gauges[client.plan.ordinal].started += 1
    metrics.count(.clients, at: now)
    metrics.reconnectsPerClient.start(client.id.number)
    metrics.attemptsPerClient.start(client.id.number)
  }

  func moved(_ client: ClientRunner, from old: SessionCondition.Link, to new: SessionCondition.Link) {
    func add(_ link: SessionCondition.Link, _ change: Int) {
      switch link {
      case .off: gauges[client.plan.ordinal].off += change
      case .reconnecting: gauges[client.plan.ordinal].reconnecting += change
      case .connected: gauges[client.plan.ordinal].connected += change
      }
    }
    add(old, -1)
    add(new, 1)
  }

  func sent(_ client: ClientRunner, _ bytes: Int, at now: Instant) {
    gauges[client.plan.ordinal].messagesOut &+= 1
    metrics.count(.messagesOut, at: now)
    metrics.count(.bytesOut, at: now, by: UInt64(bytes))
  }

  func received(_ client: ClientRunner, _ bytes: Int, at now: Instant) {
    lastMessage = now
    gauges[client.plan.ordinal].messagesIn &+= 1
    metrics.count(.messagesIn, at: now)
    metrics.count(.bytesIn, at: now, by: UInt64(bytes))
  }

  func note(_ name: String, of client: ClientRunner, at now: Instant) {
    // Names hold what peers say.
    let name = PrintableText.of(name)
    gauges[client.plan.ordinal].errors &+= 1
    metrics.countError(name, at: now)
    configuration.noted?(name, client.id, now)
  }

  func tell(_ intent: Intent, of client: ClientRunner, at now: Instant) {
    observe(.intent(intent), source: .intent, of: client.id, at: now)
  }

  func observe(_ event: Observation.Event, source: Observation.Source, of client: ClientID, at now: Instant) {
    configuration.observe?(
      Observation(
        time: now, connection: ConnectionID(rawValue: 0), client: client, side: .client, direction: .up,
        source: source, event: event))
  }

  func audited(_ id: Int, _ value: [UInt8]?) { auditor?.answered(id, value) }
}
