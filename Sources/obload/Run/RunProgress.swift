import ClientSim
import Core
import Metrics

/// What a run looks like at a moment, over all loops: for the live display.
struct RunProgress: Sendable {
  var name: String
  var elapsed: Duration
  var duration: Duration
  /// In the order of the scenario.
  var fleets: [FleetGauge]
  var activeFaults: [String]
  /// Messages received and sent by clients so far.
  var messages: UInt64
  var transitionP99: Histogram.Percentile?
  var callP99: Histogram.Percentile?

  init(scenario: Scenario, elapsed: Duration, snapshots: [WorkerSnapshot]) {
    name = scenario.name
    self.elapsed = elapsed
    duration = scenario.duration
    fleets = snapshots.first?.fleets ?? []
    activeFaults = snapshots.first?.activeFaults ?? []
    var metrics = snapshots.first?.metrics
    for other in snapshots.dropFirst() {
      for index in fleets.indices { fleets[index].add(other.fleets[index]) }
      try? metrics?.merge(other.metrics)
    }
    messages = (metrics?.total(.messagesIn) ?? 0) + (metrics?.total(.messagesOut) ?? 0)
    transitionP99 = metrics?.histogram(.transition).percentile(99)
    callP99 = metrics?.histogram(.call).percentile(99)
  }
}

extension FleetGauge {
  /// Adds the same fleet on another loop; recent calls stay the first loop's.
  mutating func add(_ other: FleetGauge) {
    clients += other.clients
    started += other.started
    connected += other.connected
    reconnecting += other.reconnecting
    off += other.off
    messagesIn += other.messagesIn
    messagesOut += other.messagesOut
    errors += other.errors
  }
}
