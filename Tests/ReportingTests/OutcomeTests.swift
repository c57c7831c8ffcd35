import Core
import Judge
import Metrics
import Reporting
import Testing

@Suite struct OutcomeTests {
  @Test func aRunWhoseBudgetsHoldAndWhoseClausesPassPasses() throws {
    let record = Fixture.record()
    let report = Fixture.report(
      record, budgets: [try Fixture.budget("call p99 < 1s", record)],
      clauses: [Fixture.clause(verdict: .pass, required: true)])
    #expect(report.exit == .passed)
    #expect(report.reasons.isEmpty)
  }

  @Test func aFailedBudgetIsNamedWithWhatWasObserved() throws {
    let record = Fixture.record()
    let report = Fixture.report(record, budgets: [try Fixture.budget("call p99 < 1ms", record)])
    #expect(report.exit == .failed)
    #expect(report.reasons.first?.text.contains("call p99 < 1ms") == true)
    #expect(report.reasons.first?.text.contains("10.0 ms") == true)
  }

  @Test func aBudgetWithoutSamplesIsNoVerdict() throws {
    let record = Fixture.record()
    #expect(Fixture.report(record, budgets: [try Fixture.budget("offline p99 < 1s", record)]).exit == .noVerdict)
  }

  @Test func aViolationFailsUnlessItIsWaived() {
    #expect(Fixture.report(clauses: [Fixture.clause(verdict: .fail)]).exit == .failed)
    #expect(Fixture.report(clauses: [Fixture.clause(verdict: .fail, waived: "known")]).exit == .passed)
  }

  @Test func aShouldFailsOnlyWhenStrict() {
    #expect(Fixture.report(clauses: [Fixture.clause(verdict: .fail, level: .should)]).exit == .passed)
    #expect(Fixture.report(clauses: [Fixture.clause(verdict: .fail, level: .should, strict: true)]).exit == .failed)
  }

  @Test(arguments: [Verdict.inconclusive, .notExercised])
  func onlyARequiredClauseWithoutAVerdictCostsTheGate(_ verdict: Verdict) {
    #expect(Fixture.report(clauses: [Fixture.clause(verdict: verdict)]).exit == .passed)
    #expect(Fixture.report(clauses: [Fixture.clause(verdict: verdict, required: true)]).exit == .noVerdict)
  }

  @Test func aFaultThatTouchedNoOneIsNoVerdict() {
    var record = Fixture.record()
    record.faults[0].applications = 0
    let report = Fixture.report(record)
    #expect(report.exit == .noVerdict)
    #expect(report.reasons.first?.text.contains("slow") == true)
  }

  @Test func aFaultThatNeverStartedIsNoReason() {
    var record = Fixture.record()
    record.faults[0].applications = 0
    record.faults[0].started = nil
    #expect(Fixture.report(record).exit == .passed)
  }

  @Test func aSaturatedGeneratorDecidesOverAFailureAndInterruptionOverBoth() throws {
    let record = Fixture.record()
    let failed = try Fixture.budget("call p99 < 1ms", record)
    let saturated = GeneratorRecord(invalid: "the loop was late")
    let report = Fixture.report(record, budgets: [failed], generator: saturated)
    #expect(report.exit == .noVerdict)
    #expect(report.reasons.map(\.kind) == [.invalidGenerator, .failed])
    let interrupted = Fixture.report(
      record, budgets: [failed], beforehand: [ExitReason(.interrupted, "interrupted")], generator: saturated)
    #expect(interrupted.exit == .interrupted)
  }

  @Test func booksThatDoNotBalanceAreNoVerdict() {
    var record = Fixture.record()
    record.metrics.callIntended(at: .seconds(1))
    #expect(Fixture.report(record).exit == .noVerdict)
  }
}
