import Core
import Network

/// Begins and ends a proxy's faults at their times.
///
/// @unchecked: confined to its proxy's loop.
final class FaultSchedule: LoopTimer, FaultedProxy, @unchecked Sendable {
  private struct Edge {
    var at: Instant
    var begins: Bool
    var run: FaultRun
  }

  /// The proxy owns the schedule and takes it out of the loop before it goes.
  private unowned(unsafe) let proxy: Proxy
  private var edges: [Edge] = []
  private var next = 0
  private var sweeps: [ConnectionSweep] = []
  /// Those that closed the listener.
  private var closers: [FaultRun] = []

  init(_ proxy: Proxy) { self.proxy = proxy }

  func begin(at epoch: Instant) {
    edges = []
    next = 0
    for run in proxy.runs { add(run, at: epoch + run.entry.trigger.start) }
    sort()
    fire()
  }

  private func add(_ run: FaultRun, at start: Instant) {
    let trigger = run.entry.trigger
    edges.append(Edge(at: start, begins: true, run: run))
    guard !run.entry.isMoment, !trigger.isPerConnection, let length = trigger.length else { return }
    edges.append(Edge(at: start + length, begins: false, run: run))
  }

  private func sort() {
    // What ends at a time makes room for what begins then; those that begin together do so as written.
    edges.sort {
      ($0.at, $0.begins ? 1 : 0, $0.run.entry.ordinal) < ($1.at, $1.begins ? 1 : 0, $1.run.entry.ordinal)
    }
  }

  /// Makes `wanted` the faults there are, as one change: those that are new count from now.
  func adopt(_ wanted: [FaultRun]) {
    let now = proxy.loop.now
    let former = proxy.runs
    let gone = former.filter { run in !wanted.contains { $0 === run } }
    let fresh = wanted.filter { run in !former.contains { $0 === run } }
    edges.removeFirst(next)
    next = 0
    edges.removeAll { edge in gone.contains { $0 === edge.run } }
    for run in fresh { add(run, at: now + run.entry.trigger.start) }
    sort()
    for sweep in sweeps where gone.contains(where: { $0 === sweep.run }) { proxy.loop.disarm(sweep) }
    sweeps.removeAll { sweep in gone.contains { $0 === sweep.run } }
    let ending = gone.filter(\.isOn)
    for run in ending { run.switchOff() }
    proxy.active.removeAll { !$0.isOn }
    proxy.runs = wanted
    proxy.generation &+= 1
    // Those that begin now come before what the others hold goes on: nothing gets through between them.
    proxy.loop.disarm(self)
    fire()
    for run in ending { finish(run) }
    if !ending.isEmpty { proxy.forEachRelay { $0.released() } }
  }

  /// A fault that comes again and again has begun: its next time.
  private func repeatAfter(_ edge: Edge) {
    guard let period = edge.run.entry.trigger.period else { return }
    edges.removeFirst(next)
    next = 0
    add(edge.run, at: edge.at + period)
    sort()
  }

  override func fire() {
    let now = proxy.loop.now
    while next < edges.count, edges[next].at <= now {
      let edge = edges[next]
      next += 1
      if edge.begins {
        repeatAfter(edge)
        start(edge.run)
      } else if edge.run.isOn {
        end(edge.run)
      }
    }
    if next < edges.count { proxy.loop.arm(self, at: edges[next].at) }
  }

  func stop() {
    proxy.loop.disarm(self)
    for sweep in sweeps { proxy.loop.disarm(sweep) }
    sweeps = []
    edges = []
    next = 0
  }

  func lift() {
    let cut = sweeps
    stop()
    for sweep in cut { finish(sweep.run) }
    for run in proxy.active where run !== proxy.pauser { end(run) }
  }

  // MARK: Edges

  private func start(_ run: FaultRun) {
    let now = proxy.loop.now
    run.begin(at: now)
    tell(run, .started, now)
    let entry = run.entry
    entry.fault.started(self, proxy.scope(run, nil))
    if !entry.isMoment {
      let place = proxy.active.firstIndex { $0.entry.ordinal > entry.ordinal } ?? proxy.active.count
      proxy.active.insert(run, at: place)
      proxy.generation &+= 1
      if entry.hooks.contains(.eager) { proxy.forEachRelay { $0.takeFaultsInIfChanged() } }
    }
    if entry.needsOwnTimes {
      // Idle connections must learn of it, or their time would not begin to count.
      proxy.forEachRelay { $0.takeFaultsInIfChanged() }
    } else if entry.hooks.contains(.connections) {
      let sweep = ConnectionSweep(proxy, run) { [unowned(unsafe) self] sweep in swept(sweep, run) }
      sweeps.append(sweep)
      sweep.begin()
    } else if entry.isMoment {
      finish(run)
    }
  }

  private func swept(_ sweep: ConnectionSweep, _ run: FaultRun) {
    sweeps.removeAll { $0 === sweep }
    run.spanned(to: proxy.loop.now)
    if run.entry.isMoment { finish(run) }
  }

  func end(_ run: FaultRun) {
    proxy.active.removeAll { $0 === run }
    proxy.generation &+= 1
    finish(run)
    // What it holds goes on now; connections that hold nothing learn of it on their way.
    proxy.forEachRelay { $0.released() }
  }

  private func finish(_ run: FaultRun) {
    let now = proxy.loop.now
    run.entry.fault.ended(self, proxy.scope(run, nil))
    run.end(at: now)
    run.isOver = !edges[next...].contains { $0.run === run }
    tell(run, .ended, now)
  }

  private func tell(_ run: FaultRun, _ edge: FaultEdge.Edge, _ now: Instant) {
    let edge = FaultEdge(ordinal: run.entry.ordinal, edge: edge)
    proxy.edges?(edge, run.entry, now)
    proxy.emit(
      Observation(
        time: now, connection: ConnectionID(loop: UInt8(truncatingIfNeeded: proxy.configuration.loopIndex), ordinal: 0),
        side: .client, direction: .down, source: .fault, faults: run.entry.faultSet, event: .fault(edge)))
  }

  // MARK: FaultedProxy

  func closeListener(by entry: FaultEntry) {
    guard let run = proxy.runs.first(where: { $0.entry.ordinal == entry.ordinal }) else { return }
    closers.append(run)
    proxy.listenerClosers += 1
    proxy.listener?.close()
    run.acted(1)
  }

  func openListener(by entry: FaultEntry) {
    guard let place = closers.firstIndex(where: { $0.entry.ordinal == entry.ordinal }) else { return }
    closers.remove(at: place)
    proxy.listenerClosers -= 1
    guard proxy.listenerClosers == 0, !proxy.isClosed else { return }
    do throws(NetworkError) { try proxy.listener?.reopen() } catch {
      proxy.counts.fail("listener not reopened: \(error.name)")
    }
  }

  func refusedBySystem(_ client: ClientID) {
    for run in closers {
      run.acted(1)
      run.touched(client: client)
    }
  }
}
