import Core
import JSON
import Reporting
import Testing

@testable import obload

/// The scenarios that come with obload, in virtual time: they pass, and they pass the same way each time.
@Suite struct ShippedScenarioTests {
  /// The two that are left out are run as processes below.
  @Test(arguments: Repository.shippedScenarios.filter { !["reconnect-storm", "offline-outbox"].contains($0) })
  func passesTwiceWithTheSameReportToTheByte(name: String) throws {
    let scenario = try InProcess.scenario(Repository.scenario(name))
    let first = try InProcess.run(scenario)
    #expect(first.exit == .passed, "\(first.reasons.map(\.text))")
    let second = try InProcess.run(scenario)
    #expect(first.record.events.jsonLines == second.record.events.jsonLines)
    #expect(SummaryJSON.text(first) == SummaryJSON.text(second))
  }

  @Test(arguments: ["reconnect-storm", "offline-outbox"])
  func twoProcessesWriteTheSameBytes(name: String) throws {
    let folders = [try TemporaryFolder(), try TemporaryFolder()]
    for folder in folders {
      let ended = try Program.obload(["run", Repository.scenario(name), "--virtual", "--out", folder.path])
      #expect(ended.code == 0, "\(ended.text)")
    }
    #expect(try folders[0].read("events.jsonl") == folders[1].read("events.jsonl"))
    #expect(try folders[0].read("junit.xml") == folders[1].read("junit.xml"))
    #expect(
      try Report.withoutWallClock(folders[0].read("summary.json"))
        == Report.withoutWallClock(folders[1].read("summary.json")))
  }

  @Test func anotherSeedMakesAnotherRunThatPassesToo() throws {
    var changes = ScenarioFile.Changes()
    changes.seed = 99
    let usual = try InProcess.run(try InProcess.scenario(Repository.scenario("quickstart")))
    let other = try InProcess.run(try InProcess.scenario(Repository.scenario("quickstart"), changes))
    #expect(other.exit == .passed, "\(other.reasons.map(\.text))")
    #expect(SummaryJSON.text(usual) != SummaryJSON.text(other))
  }

  @Test func theStormReportsWhatItIsFor() throws {
    let report = try InProcess.run(try InProcess.scenario(Repository.scenario("reconnect-storm")))
    let summary = SummaryJSON.value(report)
    #expect(summary["counters"]?["drops"]?["whole"]?.integer == 200)
    #expect(summary["counters"]?["reconnects"]?["whole"]?.integer == 200)
    #expect(summary["metrics"]?["offline"]?["whole"]?["p95"]?.double != nil)
    #expect(summary["metrics"]?["attempts"]?["whole"]?["count"]?.integer == 200)
    // Everyone comes back for a first attempt; the refused half has further ones, each after a longer pause.
    let pauses = (1...4).compactMap { attempt in
      summary["metrics"]?["backoff.observed attempt \(attempt)"]?["whole"]?["mean"]?.double
    }
    #expect(pauses.count == 4)
    #expect(pauses == pauses.sorted())
  }
}
