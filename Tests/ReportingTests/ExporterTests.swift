import Core
import Foundation
import JSON
import Judge
import Metrics
import Testing

@testable import Reporting

@Suite struct ExporterTests {
  @Test func theSummaryHasEveryPartOfTheSchemaInItsOrder() throws {
    let value = try JSONValue.parse(SummaryJSON.text(Fixture.report()))
    #expect(
      value.object?.keys == [
        "schema", "scenario", "protocol", "target", "seed", "clients", "duration", "virtual", "command", "outcome",
        "budgets", "clauses", "metrics", "counters", "dispersion", "errors", "windows", "faults", "fleets", "generator",
        "shards", "notes", "environment", "wallClock",
      ])
    #expect(value["schema"] == "1.1")
  }

  @Test func aMetricIsGivenPerWindowInSeconds() throws {
    let value = try JSONValue.parse(SummaryJSON.text(Fixture.report(Fixture.record(calls: 4))))
    // Calls at 0.5, 1.5 (steady), 2.5 and 3.5 s (during slow), each 10 ms long.
    #expect(value["metrics"]?["call"]?["whole"]?["count"] == 4)
    #expect(value["metrics"]?["call"]?["during slow"]?["count"] == 2)
    #expect(value["metrics"]?["call"]?["steady"]?["count"] == 2)
    let p99 = try #require(value["metrics"]?["call"]?["whole"]?["p99"]?.double)
    #expect(abs(p99 - 0.01) <= 0.01 / 1024)
  }

  @Test func aPercentileThatLandsOnALostCallIsALowerBound() throws {
    let value = try JSONValue.parse(SummaryJSON.text(Fixture.report(Fixture.record(calls: 4, lost: 2))))
    #expect(value["metrics"]?["call"]?["whole"]?["unfinished"] == 2)
    #expect(value["metrics"]?["call"]?["whole"]?["lowerBounds"]?.array?.contains("p99") == true)
  }

  @Test func machineFiguresStandInOneBlockOnly() throws {
    var first = Fixture.report()
    var second = Fixture.report()
    first.wallClock.seconds = 1
    second.wallClock = WallClock(started: "other", seconds: 9, cpuSeconds: 8, maxResidentBytes: 7, lagP99: .seconds(1))
    func withoutWallClock(_ report: RunReport) -> JSONValue {
      var value = SummaryJSON.value(report)
      value["wallClock"] = nil
      return value
    }
    #expect(SummaryJSON.value(first) != SummaryJSON.value(second))
    #expect(withoutWallClock(first).text == withoutWallClock(second).text)
  }

  @Test func junitHasACasePerBudgetAndClauseAndCountsThemRight() throws {
    let record = Fixture.record()
    let report = Fixture.report(
      record,
      budgets: [
        try Fixture.budget("call p99 < 1ms", record), try Fixture.budget("call p99 < 1s", record),
        try Fixture.budget("offline p99 < 1s", record),
      ],
      clauses: [
        Fixture.clause("OB-C1", verdict: .fail), Fixture.clause("OB-C2", verdict: .pass),
        Fixture.clause("OB-C3", verdict: .notExercised),
        Fixture.clause("OB-C4", verdict: .inconclusive, required: true),
      ])
    let xml = JUnitXML.text(report)
    #expect(xml.contains("tests=\"7\" failures=\"2\" errors=\"2\" skipped=\"1\""))
    let parser = XMLCheck()
    #expect(parser.cases(in: xml) == 7)
  }

  @Test func junitNamesWhatNoBudgetAndNoClauseCarries() {
    let xml = JUnitXML.text(Fixture.report(beforehand: [ExitReason(.interrupted, "interrupted after 3 s")]))
    #expect(xml.contains("<testcase classname=\"demo.run\" name=\"interrupted\">"))
  }

  @Test func hostileTextIsEscapedInXML() {
    #expect(JUnitXML.escape("a<b>&\"\u{0}\u{1B}\n") == "a&lt;b&gt;&amp;&quot;\u{FFFD}\u{FFFD}&#10;")
  }
}

/// Counts test cases in text that must be well formed; -1 when it is not.
private struct XMLCheck {
  func cases(in xml: String) -> Int {
    var open: [Substring] = []
    var cases = 0
    for tag in xml.split(separator: "<").dropFirst(1) {
      let body = tag.prefix { $0 != ">" }
      if body.hasPrefix("?") { continue }
      let name = body.drop { $0 == "/" }.prefix { $0 != " " && $0 != "/" }
      if body.hasPrefix("/") {
        guard open.popLast() == name else { return -1 }
      } else {
        if name == "testcase" { cases += 1 }
        if !body.hasSuffix("/") { open.append(name) }
      }
    }
    return open.isEmpty ? cases : -1
  }
}
