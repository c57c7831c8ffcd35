import Core
import JSON
import Metrics
import Testing

@testable import ClientSim
@testable import obload

@Suite struct LiveDisplayTests {
  private func progress(elapsed: Duration = .seconds(12)) throws -> RunProgress {
    let diagnostics = Diagnostics()
    let value = LocatedJSON.read(
      """
      { name: "storm", duration: "45s", target: { protocol: "onebase", embedded: {} },
        fleets: [{ name: "readers", clients: 1200 }, { name: "a-fleet-with-a-long-name", clients: 2 }] }
      """, diagnostics: diagnostics
    ).value
    let scenario = Scenario.decode(try #require(value), environment: { _ in nil }, diagnostics: diagnostics)
    var metrics = MetricSet(timeline: scenario.windows, clients: 1202)
    metrics.callIntended(at: .zero)
    metrics.callAnswered(intended: .zero, sent: .zero, at: .milliseconds(4), ok: true)
    var readers = FleetGauge(name: "readers")
    readers.clients = 1200
    readers.connected = 1100
    readers.reconnecting = 100
    readers.messagesIn = 5000
    readers.errors = 3
    var others = FleetGauge(name: "a-fleet-with-a-long-name")
    others.clients = 2
    others.connected = 2
    others.recentCalls.record(.milliseconds(4))
    return RunProgress(
      scenario: scenario, elapsed: elapsed,
      snapshots: [WorkerSnapshot(fleets: [readers, others], activeFaults: ["slow", "refused"], metrics: metrics)])
  }

  @Test func aTerminalGetsALinePerFleet() throws {
    let lines = LiveDisplay.lines(try progress(), rates: [1234.5, 0.2])
    #expect(
      lines == [
        "storm   33 s left   fault: slow, refused   call p99 4.00 ms",
        "  readers                     1,100 connected      100 reconnecting    1,234 messages/s   3 errors",
        "  a-fleet-with-a-long-name        2 connected        0 reconnecting        0 messages/s   calls p99…",
      ])
    #expect(lines.allSatisfy { $0.count <= Columns.width })
    let narrow = LiveDisplay.lines(try progress(), rates: [1234.5, 0.2], width: 40)
    #expect(narrow.allSatisfy { $0.count <= 40 })
  }

  @Test func aLogGetsOneLine() throws {
    #expect(
      LiveDisplay.plain(try progress(), rates: [1234.5, 0.2])
        == "12.0 s: 1,102 of 1,202 connected, 1,234 messages/s, call p99 4.00 ms, fault: slow, refused")
  }

  @Test func afterTheWorkloadItSettles() throws {
    let lines = LiveDisplay.lines(try progress(elapsed: .seconds(46)), rates: [0, 0])
    #expect(lines[0].hasPrefix("storm   settling   "))
  }
}
