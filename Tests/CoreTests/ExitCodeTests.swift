import Core
import Testing

@Suite struct ExitCodeTests {
  @Test func noReasonIsAPass() {
    #expect(ExitDecision.decide([]).code == .passed)
    #expect(ExitCode.passed.rawValue == 0)
  }

  @Test func everyPairIsDecidedByPrecedence() {
    // 2, 130, 3 for an invalid generator, 1, 3.
    let precedence: [(ExitReason.Kind, Int32)] = [
      (.usage, 2), (.interrupted, 130), (.invalidGenerator, 3), (.failed, 1), (.noVerdict, 3),
    ]
    for (i, (higher, code)) in precedence.enumerated() {
      #expect(ExitDecision.decide([ExitReason(higher, "a")]).code.rawValue == code)
      for (lower, _) in precedence.dropFirst(i) {
        for reasons in [
          [ExitReason(higher, "a"), ExitReason(lower, "b")], [ExitReason(lower, "b"), ExitReason(higher, "a")],
        ] {
          let decision = ExitDecision.decide(reasons)
          #expect(decision.code.rawValue == code)
          #expect(decision.reasons.count == 2)
          #expect(decision.reasons[0].kind == higher)
        }
      }
    }
  }

  @Test func allReasonsAreKeptThoseThatDecideFirst() {
    let reasons = [
      ExitReason(.noVerdict, "1"), ExitReason(.failed, "2"), ExitReason(.noVerdict, "3"), ExitReason(.failed, "4"),
    ]
    #expect(ExitDecision.decide(reasons).reasons.map(\.text) == ["2", "4", "1", "3"])
  }
}
