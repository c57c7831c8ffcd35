import Foundation
import JSON
import Testing

@testable import obload

/// What a caller learns from the exit code, the report beside it, and where the report goes.
@Suite struct ExitCodeTests {
  private func run(_ arguments: [String], in folder: TemporaryFolder) throws -> (Program.Ended, Report) {
    let all = [
      "run", Repository.scenario("reconnect-storm"), "--virtual", "--seed", "1", "--out", "\(folder.path)/out",
      "--clients", "60",
    ]
    let ended = try Program.obload(all + arguments, in: folder.path)
    return (ended, try Report("\(folder.path)/out"))
  }

  @Test func aBudgetThatCannotBeKeptFailsTheRunAndIsNamed() throws {
    let folder = try TemporaryFolder()
    let (ended, report) = try run(["--budget", "offline p99 < 1ms"], in: folder)
    #expect(ended.code == 1)
    #expect(report.exit == 1)
    #expect(report.reasons.contains { $0.hasPrefix("budget \"offline p99 < 1ms\" failed: ") })
    #expect(report.junit.cases.first { $0.name == "offline p99 < 1ms" }?.problem == "failure")
    let lines = ended.output.split(separator: "\n")
    #expect(lines.first?.hasSuffix("FAIL  exit 1") == true)
    #expect(lines.dropFirst().first?.contains("✗ budget  offline p99 < 1ms") == true)
  }

  @Test func aBudgetWithoutSamplesIsNoVerdict() throws {
    let folder = try TemporaryFolder()
    let (ended, report) = try run(["--budget", "detection p99 < 1s"], in: folder)
    #expect(ended.code == 3)
    #expect(report.reasons.contains { $0.hasPrefix("budget \"detection p99 < 1s\" has no data") })
    #expect(report.junit.cases.first { $0.name == "detection p99 < 1s" }?.problem == "error")
    #expect(ended.output.contains("NO VERDICT  exit 3"))
  }

  @Test func aFailureDecidesOverMissingData() throws {
    let folder = try TemporaryFolder()
    let (ended, report) = try run(["--budget", "detection p99 < 1s", "--budget", "offline p99 < 1ms"], in: folder)
    #expect(ended.code == 1)
    #expect(report.reasons.count == 2)
  }

  @Test func aClauseThatIsBrokenFailsTheRunWithItsEvidence() throws {
    let folder = try TemporaryFolder()
    let (ended, report) = try run(["--set", #"target.embedded={ misbehave: ["splitTransition"] }"#], in: folder)
    #expect(ended.code == 1)
    #expect(report.clause("OB-S8")?["verdict"]?.string == "fail")
    #expect(report.clause("OB-S8")?["worst"]?["frames"]?.array?.isEmpty == false)
    let line = try #require(ended.output.firstRange(of: "events.jsonl:"))
    let number = try #require(Int(ended.output[line.upperBound...].prefix { $0.isNumber }))
    let event = report.events[number - 1]
    #expect(event["kind"]?.string == "violation")
    #expect(event["clause"]?.string == "OB-S8")
  }

  @Test func aReportThatCannotBeWrittenIsNoPass() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("file", "in the way")
    for place in ["\(file)/out", "/proc/out"] {
      let ended = try Program.obload([
        "run", Repository.scenario("idle"), "--virtual", "--duration", "10s", "--set", "clauses={}", "--set",
        "budgets=[]", "--out", place,
      ])
      #expect(ended.code == 3, "\(ended.text)")
      #expect(ended.output.contains("NO VERDICT  exit 3"))
      let words = ended.output.split { $0.isWhitespace }.joined(separator: " ")
      #expect(words.contains("the report could not be written: \(place) cannot be made: "), "\(words)")
    }
  }

  @Test func theReportGoesIntoAFolderOfItsOwnByDefault() throws {
    let folder = try TemporaryFolder()
    let arguments = ["run", Repository.scenario("idle"), "--virtual", "--quiet"]
    for _ in 1...2 { #expect(try Program.obload(arguments, in: folder.path).code == 0) }
    let reports = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/reports").sorted()
    #expect(reports.count == 2)
    for report in reports {
      #expect(report.hasPrefix("idle-20"))
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/reports/\(report)").sorted()
      #expect(files == ["events.jsonl", "junit.xml", "summary.json"])
    }
  }

  @Test func quietSaysTheVerdictAndWhatFailed() throws {
    let folder = try TemporaryFolder()
    let (passed, _) = try run(["--quiet"], in: folder)
    #expect(passed.output.split(separator: "\n").count == 1)
    #expect(passed.errors.isEmpty)
    let (failed, _) = try run(["--quiet", "--budget", "offline p99 < 1ms"], in: folder)
    #expect(failed.output.split(separator: "\n").count == 2)
    #expect(!failed.output.contains("\u{1B}"))
  }

  @Test func noArgumentsNoCommandAndHelp() throws {
    #expect(try Program.obload([]).code == 2)
    #expect(try Program.obload(["rnu"]).code == 2)
    #expect(try Program.obload(["run"]).code == 2)
    #expect(try Program.obload(["run", "nowhere.json5"]).code == 2)
    let help = try Program.obload(["run", "--help"])
    #expect(help.code == 0)
    #expect(help.output == RunCommand.spec.help + "\n")
  }
}
