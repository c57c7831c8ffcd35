import Core
import JSON
import Judge
import Metrics

/// `summary.json`: the whole run for machines. Additions raise the minor version; nothing is renamed within a major one.
public enum SummaryJSON {
  /// Major and minor version of the format.
  public static let schema = "1.1"

  public static func text(_ report: RunReport) -> String { value(report).prettyText() + "\n" }

  public static func value(_ report: RunReport) -> JSONValue {
    let description = report.description
    return [
      "schema": .string(schema),
      "scenario": .string(description.scenario),
      "protocol": .string(description.protocolName),
      "target": .string(description.target),
      "seed": .integer(Int64(bitPattern: description.seed)),
      "clients": .integer(Int64(description.clients)),
      "duration": seconds(description.duration),
      "virtual": .bool(description.isVirtual),
      "command": .string(description.command),
      "outcome": [
        "exit": .integer(Int64(report.exit.rawValue)),
        "verdict": .string(verdict(report.exit)),
        "reasons": .array(report.reasons.map { ["kind": .string(name($0.kind)), "text": .string($0.text)] }),
      ],
      "budgets": .array(report.budgets.map(budget)),
      "clauses": .array(report.clauses.map { clause($0, of: report) }),
      "metrics": MetricsJSON.metrics(report.record.metrics),
      "counters": MetricsJSON.counters(report.record.metrics),
      "dispersion": MetricsJSON.dispersion(report.record.metrics),
      "errors": .array(
        report.record.metrics.errors.entries.map {
          ["name": .string($0.name), "count": .integer(Int64(clamping: $0.count))]
        }),
      "windows": .array(MetricsJSON.windowNames(report.record.metrics.timeline).map { .string($0) }),
      "faults": .array(report.record.faults.map(fault)),
      "fleets": .array(report.record.fleets.map(fleet)),
      "generator": [
        "valid": .bool(report.generator.invalid == nil),
        "reason": optional(report.generator.invalid),
      ],
      "shards": .array(report.record.shards.map(shard)),
      "notes": .array(
        report.record.notes.map {
          [
            "note": .string($0.name), "count": .integer(Int64(clamping: $0.count)),
            "weight": .string($0.weight.rawValue),
          ]
        }),
      "environment": .object(JSONObject(report.environment.map { ($0.name, .string($0.value)) })),
      "wallClock": wallClock(report.wallClock),
    ]
  }

  static func verdict(_ exit: ExitCode) -> String {
    switch exit {
    case .passed: "pass"
    case .failed: "fail"
    case .usage: "usage"
    case .noVerdict: "no-verdict"
    case .interrupted: "interrupted"
    }
  }

  static func name(_ kind: ExitReason.Kind) -> String {
    switch kind {
    case .usage: "usage"
    case .interrupted: "interrupted"
    case .invalidGenerator: "invalid-generator"
    case .failed: "failed"
    case .noVerdict: "no-verdict"
    }
  }

  static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// Durations are seconds as numbers.
  static func seconds(_ duration: Duration?) -> JSONValue { duration.map { .number($0.inSeconds) } ?? .null }
  static func seconds(_ instant: Instant?) -> JSONValue { instant.map { .number($0.seconds) } ?? .null }

  private static func budget(_ result: BudgetResult) -> JSONValue {
    [
      "budget": .string(result.budget),
      "outcome": .string(result.outcome.rawValue),
      "observed": .string(result.observed),
      "value": result.value.map { .number($0) } ?? .null,
      "unit": .string(unit(result.unit)),
      "lowerBound": .bool(result.isLowerBound),
      "samples": .integer(Int64(clamping: result.samples)),
      "reason": optional(result.reason),
    ]
  }

  /// What `value` counts in: durations in nanoseconds, as budgets compare them.
  private static func unit(_ unit: BudgetUnit) -> String {
    switch unit {
    case .duration: "ns"
    case .number: "count"
    case .rate: "1/s"
    case .bytes: "bytes"
    case .byteRate: "bytes/s"
    case .share: "share"
    }
  }

  private static func clause(_ line: ClauseLine, of report: RunReport) -> JSONValue {
    let finding = line.finding
    let names = ClauseLine.names(of: finding.faults, among: report.record.faults).map { JSONValue.string($0) }
    return [
      "id": .string(finding.info.id),
      "side": .string(finding.info.side.rawValue),
      "level": .string(finding.info.level.rawValue),
      "scope": .string(finding.info.scope.rawValue),
      "statement": .string(finding.info.statement),
      "verdict": .string(finding.verdict.rawValue),
      "required": .bool(line.isRequired),
      "waived": optional(line.waived),
      "opportunities": .integer(Int64(finding.opportunities)),
      "violations": .integer(Int64(finding.violations)),
      "tolerance": .string(finding.tolerance),
      "faults": .array(names),
      "reason": optional(finding.reason),
      "undecided": .integer(Int64(finding.undecided)),
      "worst": finding.worst.map(evidence) ?? .null,
      // The same run again: what was found once is found again where the run is in virtual time.
      "reproduce": finding.verdict == .fail ? .string(report.description.command) : .null,
    ]
  }

  static func evidence(_ evidence: Evidence) -> JSONValue {
    [
      "time": .number(evidence.time.seconds),
      "client": evidence.client.map { .integer(Int64($0.number)) } ?? .null,
      "connection": evidence.connection.map { .string($0.description) } ?? .null,
      "text": .string(evidence.text),
      "frames": .array(evidence.frames.map(frame)),
    ]
  }

  /// One message in evidence, redacted and cut as the judge kept it.
  public static func frame(_ frame: FrameExcerpt) -> JSONValue {
    [
      "time": .number(frame.time.seconds), "direction": .string(frame.direction == .up ? "up" : "down"),
      "text": .string(frame.text), "length": .integer(Int64(frame.length)),
    ]
  }

  private static func fault(_ fault: FaultApplication) -> JSONValue {
    [
      "name": .string(fault.name),
      "fault": .string(fault.kind),
      "ordinal": .integer(Int64(fault.ordinal)),
      "started": seconds(fault.started),
      "ended": seconds(fault.ended),
      "span": seconds(fault.span),
      "clients": .integer(Int64(RangeList.count(fault.clients))),
      "connections": .integer(Int64(RangeList.count(fault.connections))),
      "clientRanges": .array(fault.clients.map { .string("\($0.lowerBound)-\($0.upperBound)") }),
      "applications": .integer(Int64(clamping: fault.applications)),
    ]
  }

  private static func fleet(_ fleet: FleetRecord) -> JSONValue {
    [
      "name": .string(fleet.name),
      "clients": .integer(Int64(fleet.clients)),
      "started": .integer(Int64(fleet.started)),
      "connectedAtEnd": .integer(Int64(fleet.connectedAtEnd)),
      "reconnectingAtEnd": .integer(Int64(fleet.reconnectingAtEnd)),
      "messagesIn": .integer(Int64(clamping: fleet.messagesIn)),
      "messagesOut": .integer(Int64(clamping: fleet.messagesOut)),
      "errors": .integer(Int64(clamping: fleet.errors)),
    ]
  }

  private static func shard(_ shard: ShardRecord) -> JSONValue {
    [
      "index": .integer(Int64(shard.index)),
      "clients": .integer(Int64(shard.clients)),
      "accepted": .integer(Int64(clamping: shard.accepted)),
      "settled": .bool(shard.settled),
    ]
  }

  private static func wallClock(_ wall: WallClock) -> JSONValue {
    [
      "started": .string(wall.started),
      "seconds": .number(wall.seconds),
      "cpuSeconds": .number(wall.cpuSeconds),
      "maxResidentBytes": .integer(Int64(wall.maxResidentBytes)),
      "loopLagP99": seconds(wall.lagP99),
      "loopLagMax": seconds(wall.lagMax),
    ]
  }
}
