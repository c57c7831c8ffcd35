import ClientSim
import Core
import FaultProxy
import JSON
import Judge
import Metrics
import Network
import Protocols
import Reporting

/// One loop's part of a run: its clients, its proxy, its part of the judge and of the figures.
///
/// @unchecked: confined to its loop; the coordinator calls it from child tasks on that loop only.
final class Worker: @unchecked Sendable {
  /// A loop this late makes what it saw unreliable for the judge.
  static let stall = Duration.milliseconds(50)

  let loop: EventLoop
  let index: Int
  private let scenario: Scenario
  /// Nil where clients dial the target themselves.
  private let proxy: Proxy?
  private let runner: FleetRunner
  private var judge: Judge? {
    _read { yield sink.judge }
    _modify { yield &sink.judge }
  }
  private var journal: Journal {
    _read { yield sink.journal }
    _modify { yield &sink.journal }
  }
  private let propagation: PropagationTable
  private var forgotten = 0
  private var settled = false
  private var hasEnded = false

  /// Observations come in from proxy and clients; one box, so that both can be given the same sink.
  private final class Sink {
    @exclusivity(unchecked) var judge: Judge?
    var journal: Journal
    unowned(unsafe) var worker: Worker?
    init(_ journal: Journal) { self.journal = journal }

    func take(_ observation: Observation) {
      judge?.observe(observation)
      if case .message = observation.event { return }
      journal.take(observation)
    }
  }
  private let sink: Sink

  /// - Parameters:
  ///   - index: this loop's number, of `count`.
  ///   - upstream: where the proxy passes connections on to.
  init(
    scenario: Scenario, options: RunOptions, transport: any Transport, index: Int, count: Int, upstream: SocketAddress,
    shared: RunShared
  ) throws(NetworkError) {
    loop = transport.loop
    self.index = index
    self.scenario = scenario
    propagation = shared.propagation
    let sink = Sink(Journal(loop: index) { scenario.label(of: $0) })
    self.sink = sink
    let isJudged = options.isJudged
    sink.judge = isJudged ? Judge(protocol: scenario.target.protocolName, options: scenario.clauses.options) : nil
    let observe: ((Observation) -> Void)? = isJudged ? { [sink] in sink.take($0) } : nil
    let classifier = CachingClassifier(scenario.target.classifier)
    let proxy = options.isDirect ? nil : Self.proxy(scenario, options, transport, index, upstream, classifier, observe)
    let address = try proxy?.start() ?? upstream
    self.proxy = proxy
    let sources = options.isVirtual || !address.isLoopback ? nil : ClientDial.loopbackSources(clients: scenario.clients)
    let dial = ClientDial(
      address: address, host: shared.authority, target: shared.target, source: sources,
      bound: proxy.map { proxy in
        { [unowned proxy] local, client, fleet in proxy.expect(local: local, client: client, fleet: fleet) }
      })
    var configuration = FleetRunner.Configuration(
      protocolName: scenario.target.protocolName, plans: scenario.fleets,
      clients: FleetRunner.Configuration.clients(of: scenario.fleets, loop: index, of: count), dial: dial,
      seed: scenario.seed, runTag: shared.runTag, timeline: scenario.windows, events: scenario.clientEvents,
      propagation: shared.propagation, observe: observe,
      faultSince: { [sink] client, time in sink.worker?.faultSince(client, time) }, classifier: classifier)
    configuration.wire = scenario.target.wire
    configuration.noted = { [sink] name, client, time in sink.journal.error(name, of: client, at: time) }
    runner = FleetRunner(transport: transport, configuration: configuration)
    sink.worker = self
    proxy?.edges = { [unowned self] edge, entry, time in faultEdge(edge, entry, time) }
    loop.lagObserver = options.isVirtual ? nil : { [unowned self] lag, time in late(lag, time) }
  }

  deinit { sink.worker = nil }

  private static func proxy(
    _ scenario: Scenario, _ options: RunOptions, _ transport: any Transport, _ index: Int, _ upstream: SocketAddress,
    _ classifier: CachingClassifier, _ observe: ((Observation) -> Void)?
  ) -> Proxy {
    Proxy(
      transport: transport,
      configuration: ProxyConfiguration(
        upstream: upstream, listen: options.isVirtual ? .memory("proxy-\(index)", port: 1) : .loopback(port: 0),
        seed: scenario.seed, loopIndex: index, trackFrames: options.isJudged, assembleMessages: options.isJudged),
      timeline: scenario.faults, classifier: classifier, observe: observe)
  }

  // MARK: Phases, in order

  /// The clients' life: from their ramp until they are told to stop or the task is cancelled.
  func run(from start: Instant) async {
    do throws(CancellationError) { try await loop.sleep(until: start) } catch { return }
    proxy?.begin(at: start)
    await runner.run(from: start)
  }

  /// Faults off, workload off; waits until everything wanted is live and quiet.
  func settle() async {
    proxy?.liftFaults()
    tell(.settleBegan)
    settled = await runner.settle(within: scenario.settle)
    log("run", ["phase": "settled", "live": .bool(settled)])
  }

  /// Fresh queries beside what subscriptions show.
  func audit() async {
    tell(.auditBegan)
    let summary = await runner.audit()
    forgotten = summary.forgotten
    log(
      "run",
      [
        "phase": "audited", "subscriptions": .integer(Int64(summary.subscriptions)),
        "failed": .integer(Int64(summary.failed)), "compared": .integer(Int64(summary.compared)),
        "different": .integer(Int64(summary.different)), "confirmed": .integer(Int64(summary.confirmed)),
        "missing": .integer(Int64(summary.missing)), "repeated": .integer(Int64(summary.repeated)),
      ])
  }

  /// A signal came: the report is of what ran until now.
  func interrupted() {
    log("run", ["phase": "interrupted"])
    end()
  }

  /// Whatever is open from here on is cut off, not broken.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    tell(.ended)
    fleets = fleetRecords()
    runner.stop()
  }

  /// Ends what is left and hands over what was measured.
  func finish() -> RunRecord {
    end()
    proxy?.close()
    judge?.finish(at: loop.now)
    for fault in proxy?.applications ?? [] where fault.started != nil { journal.touched(fault, at: loop.now) }
    if let judge { journal.violations(judge) }
    loop.lagObserver = nil
    return RunRecord(
      metrics: runner.metrics, judge: judge, faults: proxy?.applications ?? [], fleets: fleets,
      shards: [
        ShardRecord(
          index: index, clients: fleets.reduce(0) { $0 + $1.clients }, accepted: proxy?.statistics.accepted ?? 0,
          settled: settled)
      ], events: journal.log, notes: notes)
  }

  /// What was not seen, left out or not followed on this loop.
  private var notes: [RunNote] {
    let statistics = proxy?.statistics ?? ProxyStatistics()
    var notes = statistics.failures.map { RunNote("proxy: \($0.name)", $0.count) }
    notes.append(
      RunNote("proxy: directions that were no valid WebSocket, not judged from there on", statistics.violations))
    notes.append(RunNote("proxy: messages too large to be judged", statistics.unseenMessages))
    notes.append(
      RunNote("connections the system had no descriptor for", UInt64(proxy?.acceptFailures ?? 0), .doubt))
    notes.append(RunNote("acknowledged calls the audit could not remember", UInt64(forgotten)))
    // The table is shared by all loops, and counted once.
    if index == 0 {
      notes.append(
        RunNote("receivers not followed: too many mutations under way", propagation.untrackedReceivers, .doubt))
    }
    return notes
  }

  /// What the live display shows of this loop.
  func snapshot() -> WorkerSnapshot {
    WorkerSnapshot(fleets: runner.gauges, activeFaults: active.map(\.entry.name), metrics: runner.metrics)
  }

  // MARK: What happens on the way

  /// Faults that are on, and since when.
  private var active: [(entry: FaultEntry, since: Instant)] = []
  /// As the fleets were when the run ended.
  private var fleets: [FleetRecord] = []

  /// Since when a fault has been on for the client at `time`: what `detection` counts from.
  private func faultSince(_ client: ClientID, _ time: Instant) -> Instant? {
    let subject = FaultTarget.Subject(connection: ConnectionID(rawValue: 0), client: client, host: "")
    return active.filter { $0.since <= time && $0.entry.hits(subject, seed: scenario.seed) }.map(\.since).min()
  }

  private func faultEdge(_ edge: FaultEdge, _ entry: FaultEntry, _ time: Instant) {
    let word: String
    switch edge.edge {
    case .started:
      word = "started"
      if !entry.isMoment { active.append((entry, time)) }
    case .ended:
      word = "ended"
      active.removeAll { $0.entry.ordinal == entry.ordinal }
    case .applied: word = "applied"
    }
    journal.add(
      "fault", at: time,
      [
        "name": .string(entry.name), "fault": .string(entry.kind), "edge": .string(word),
        "loop": .integer(Int64(index)),
      ])
  }

  private func late(_ lag: Duration, _ time: Instant) {
    runner.recordLag(lag, at: time)
    if lag >= Self.stall { tell(.stall(lag)) }
  }

  private func tell(_ event: RunEvent) {
    judge?.observe(
      Observation(
        time: loop.now, connection: ConnectionID(rawValue: 0), side: .client, direction: .up, source: .run,
        event: .run(event)))
  }

  private func log(_ kind: String, _ fields: JSONObject) { journal.add(kind, at: loop.now, fields) }

  private func fleetRecords() -> [FleetRecord] {
    runner.gauges.map { gauge in
      FleetRecord(
        name: gauge.name, clients: gauge.clients, started: gauge.started, connectedAtEnd: gauge.connected,
        reconnectingAtEnd: gauge.reconnecting, messagesIn: gauge.messagesIn, messagesOut: gauge.messagesOut,
        errors: gauge.errors)
    }
  }
}

/// What one loop looks like at a moment.
struct WorkerSnapshot: Sendable {
  var fleets: [FleetGauge]
  var activeFaults: [String]
  var metrics: MetricSet
}
