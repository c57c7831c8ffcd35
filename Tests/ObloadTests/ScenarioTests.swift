import ClientSim
import Core
import Foundation
import JSON
import Testing

@testable import obload

@Suite struct ScenarioTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("scenarios")

  private func decode(_ text: String, allowHosts: [String] = []) -> (Scenario, [String]) {
    let diagnostics = Diagnostics()
    let value = LocatedJSON.read(text, diagnostics: diagnostics).value
    let scenario = Scenario.decode(
      value ?? LocatedValue(.invalid, at: .outside("test")), allowHosts: allowHosts, environment: { _ in nil },
      diagnostics: diagnostics)
    return (scenario, diagnostics.rendered(file: "s").split(separator: "\n").map(String.init))
  }

  private func scenario(_ more: String = "", target: String = "{ protocol: \"onebase\", embedded: {} }") -> String {
    "{ name: \"x\", duration: \"10s\", target: \(target), fleets: [{ name: \"a\", clients: 4 }]\(more) }"
  }

  @Test func everyShippedScenarioIsRight() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".json5") }
    #expect(files.count >= 7)
    for file in files {
      let read = try ScenarioFile.read(
        Self.folder.appendingPathComponent(file).path, ScenarioFile.Changes(), environment: [:])
      #expect(read.diagnostics.isEmpty, "\(file): \(read.diagnostics.rendered(file: file))")
      #expect(file.hasSuffix(read.scenario.name + ".json5"))
    }
  }

  @Test func whatNeedsTheProxyIsRefusedWithoutIt() {
    func refusal(_ more: String) -> String? {
      do throws(UsageError) { try RunCommand.checkDirect(decode(scenario(more)).0) } catch { return error.description }
      return nil
    }
    #expect(refusal("") == nil)
    #expect(
      refusal(", faults: [{ at: \"2s\", fault: \"reset\", name: \"cut\" }]")
        == "--direct has no proxy for the fault \"cut\": leave out the faults or --direct")
    #expect(
      refusal(", clauses: { require: [\"OB-C1\"] }")
        == "--direct has no proxy to judge OB-C1 at: leave out clauses.require or --direct")
  }

  @Test func severalMistakesAreAllReportedInTheirPlaces() {
    let text = """
      {
        name: "broken",
        duration: "10 parsecs",
        target: { protocol: "onebase", embedded: {} },
        fleets: [
          { name: "readers", cleints: 10, clients: -3 },
          { name: "readers", clients: 2 },
        ],
        faults: [{ at: "1s", fault: "latency", delay: "20ms", clients: "fleet:nobody" }],
        budgets: ["transition p99 < 250", "transitoin p99 < 250ms", "call p99 < 1s during nothing"],
        extra: 1,
      }
      """
    let (_, mistakes) = decode(text)
    let places = mistakes.map { $0.prefix { $0 != " " } }
    #expect(
      places == ["s:3:13:", "s:6:24:", "s:6:46:", "s:7:13:", "s:9:66:", "s:10:31:", "s:10:38:", "s:10:85:", "s:11:3:"],
      "\(mistakes.joined(separator: "\n"))")
    #expect(mistakes.contains { $0.contains("did you mean \"clients\"?") })
    #expect(mistakes.contains { $0.contains("did you mean \"transition\"?") })
  }

  @Test func onlyLoopbackTargetsRunWithoutBeingNamed() {
    let far = scenario(target: "{ protocol: \"onebase\", url: \"ws://staging.example.com/api/sync\" }")
    #expect(decode(far).1.first?.contains("is not this machine") == true)
    #expect(decode(far, allowHosts: ["staging.example.com"]).1.isEmpty)
    #expect(decode(scenario(target: "{ protocol: \"onebase\", url: \"ws://127.0.0.1:1/\" }")).1.isEmpty)
  }

  @Test func aTokenInTheTextOfAScenarioIsAMistakeForATargetElsewhere() {
    let target = "{ protocol: \"onebase\", url: \"ws://127.0.0.1:1/\", token: \"secret\" }"
    let mistakes = decode(scenario(target: target)).1
    #expect(mistakes.count == 1)
    #expect(!mistakes.joined().contains("secret"))
  }

  @Test func unknownClausesAreMistakesAndWaiversNeedAReason() {
    let mistakes = decode(scenario(", clauses: { require: [\"OB-C99\"], waive: { \"OB-C3\": \"\" } }")).1
    #expect(mistakes.count == 2)
    #expect(mistakes.contains { $0.contains("there is no clause \"OB-C99\"") })
    #expect(mistakes.contains { $0.contains("OB-C3 is waived without a reason") })
  }

  @Test func changesOfTheCommandLineAreNamedByTheirOption() throws {
    let path = Self.folder.appendingPathComponent("quickstart.json5").path
    var changes = ScenarioFile.Changes()
    changes.settings = ["fleets[readers].rmap=2s"]
    changes.budgets = ["offline p99 < 1 parsec"]
    let file = try ScenarioFile.read(path, changes, environment: [:])
    let text = file.diagnostics.rendered(file: "f")
    #expect(text.contains("--set fleets[readers].rmap=2s"))
    #expect(text.contains("--budget"))
  }

  @Test func clientsAreScaledInProportion() throws {
    #expect(ScenarioFile.scaled([160, 40], to: 1000) == [800, 200])
    #expect(ScenarioFile.scaled([45, 15], to: 2) == [1, 1])
    #expect(ScenarioFile.scaled([1, 1, 1], to: 100).reduce(0, +) == 100)
    #expect(ScenarioFile.scaled([1000, 1, 1], to: 10) == [8, 1, 1])
    var changes = ScenarioFile.Changes()
    changes.clients = 1000
    let file = try ScenarioFile.read(
      Self.folder.appendingPathComponent("reconnect-storm.json5").path, changes, environment: [:])
    #expect(file.diagnostics.isEmpty)
    #expect(file.scenario.fleets.map(\.clients) == [800, 200])
  }

  @Test func aMissingFileIsNamed() {
    #expect { try ScenarioFile.read("/nowhere/x.json5", ScenarioFile.Changes()) } throws: {
      "\($0)".contains("no such file")
    }
  }
}
