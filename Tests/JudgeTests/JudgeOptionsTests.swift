import Core
import JSON
import Testing

@testable import Judge

struct JudgeOptionsTests {
  private func decode(_ text: String) -> (JudgeOptions, Diagnostics) {
    let (value, diagnostics) = LocatedJSON.read(text)
    return (JudgeOptions.decode(value, diagnostics: diagnostics), diagnostics)
  }

  @Test func aScenarioOverridesWhatItNames() {
    let (options, diagnostics) = decode(#"{ pingInterval: "30s", attemptsPerSecond: 10, busiestShare: "20%" }"#)
    #expect(diagnostics.count == 0)
    #expect(options.pingInterval == .seconds(30))
    #expect(options.attemptsPerSecond == 10)
    #expect(options.busiestShare == 0.2)
    #expect(options.backoffCap == .seconds(60))
  }

  @Test func nothingOverridesNothing() {
    #expect(JudgeOptions.decode(nil, diagnostics: Diagnostics()) == JudgeOptions())
  }

  @Test func everyMistakeIsReported() {
    let (options, diagnostics) = decode(#"{ pingIntervall: "30s", backoffCap: 5, idleTimeout: "0s" }"#)
    #expect(diagnostics.count == 3)
    #expect(options == JudgeOptions())
  }

  @Test func theVerdictNamesTheToleranceThatWasUsed() {
    var options = JudgeOptions()
    options.pingInterval = .seconds(30)
    var play = Play(ClientPings.self, options: options)
    play.join(1)
    play.after(32)
    play.ping()
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.tolerance == "30.0 s + 5 % between client frames")
  }
}
