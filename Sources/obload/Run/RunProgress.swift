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
  /// The p99 of each fleet's last calls, from their intended send; of several loops the worst one's.
  var recentP99: [Duration?]
  var activeFaults: [String]
  var transitionP99: Histogram.Percentile?
  var callP99: Histogram.Percentile?

  init(scenario: Scenario, elapsed: Duration, snapshots: [WorkerSnapshot]) {
    name = scenario.name
    self.elapsed = elapsed
    duration = scenario.duration
    fleets = snapshots.first?.fleets ?? []
    recentP99 = fleets.map { $0.recentCalls.percentile(99) }
    activeFaults = snapshots.first?.activeFaults ?? []
    var metrics = snapshots.first?.metrics
    for other in snapshots.dropFirst() {
      for index in fleets.indices {
        fleets[index].add(other.fleets[index])
        let theirs = other.fleets[index].recentCalls.percentile(99)
        recentP99[index] = [recentP99[index], theirs].compactMap { $0 }.max()
      }
      try? metrics?.merge(other.metrics)
    }
    transitionP99 = metrics?.histogram(.transition).percentile(99)
    callP99 = metrics?.histogram(.call).percentile(99)
  }
}

extension FleetGauge {
  /// Messages received and sent by its clients so far.
  var messages: UInt64 { messagesIn &+ messagesOut }

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
