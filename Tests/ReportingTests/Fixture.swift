import Core
import JSON
import Judge
import Metrics
import Reporting

/// A small finished run, made by hand.
enum Fixture {
  static let timeline = WindowTimeline(
    faults: [WindowTimeline.Fault(name: "slow", at: .seconds(2), length: .seconds(2))], duration: .seconds(10))

  /// One loop's part: `calls` calls, each answered after 10 ms.
  static func record(shard: Int = 0, calls: Int = 4, lost: Int = 0) -> RunRecord {
    var metrics = MetricSet(timeline: timeline, clients: 4)
    metrics.clientStarted(ClientID(UInt32(shard)), at: .zero)
    for call in 0..<calls {
      let at = Instant.seconds(Double(call) + 0.5)
      metrics.callIntended(at: at)
      if call < lost {
        metrics.callLost(intended: at, sent: at, at: at + .seconds(2))
      } else {
        metrics.callAnswered(intended: at, sent: at, at: at + .milliseconds(10), ok: true)
      }
    }
    var fault = FaultApplication(ordinal: 0, name: "slow", kind: "latency")
    fault.started = .seconds(2)
    fault.ended = .seconds(4)
    fault.applications = 3
    RangeList.insert(UInt32(shard), into: &fault.clients)
    var events = EventLog(loop: shard)
    events.add("fault", at: .seconds(2), ["fault": "slow", "edge": "started"])
    return RunRecord(
      metrics: metrics, judge: nil, faults: [fault],
      fleets: [FleetRecord(name: "readers", clients: 1, started: 1)],
      shards: [ShardRecord(index: shard, clients: 1, accepted: 1, settled: true)], events: events)
  }

  static func clause(
    _ id: String = "OB-C1", verdict: Verdict, level: ClauseInfo.Level = .must, required: Bool = false,
    waived: String? = nil, strict: Bool = false
  ) -> ClauseLine {
    let info = ClauseInfo(id, .client, .connection, level: level, "The first message is auth.")
    let worst = verdict == .fail ? Evidence(client: ClientID(3), time: .seconds(1), text: "sub came first") : nil
    return ClauseLine(
      finding: ClauseFinding(
        info: info, verdict: verdict, opportunities: 5, violations: verdict == .fail ? 2 : 0, worst: worst),
      isRequired: required, waived: waived, isStrict: strict)
  }

  static func budget(_ text: String, _ record: RunRecord) throws -> BudgetResult {
    try Budget.parse(text).get().evaluate(record.metrics)
  }

  static func report(
    _ record: RunRecord = record(), budgets: [BudgetResult] = [], clauses: [ClauseLine] = [],
    beforehand: [ExitReason] = [], generator: GeneratorRecord = GeneratorRecord()
  ) -> RunReport {
    RunReport(
      description: RunDescription(
        scenario: "demo", protocolName: "onebase", target: "embedded", seed: 7, clients: 4, duration: .seconds(10),
        isVirtual: true, command: "obload run demo.json5 --seed 7"),
      record: record, budgets: budgets, clauses: clauses, generator: generator,
      environment: [HeaderField("obload", "0.1")],
      wallClock: WallClock(started: "2026-12-01T10:00:00Z", seconds: 1, cpuSeconds: 0.5, maxResidentBytes: 1 << 20),
      beforehand: beforehand)
  }
}
