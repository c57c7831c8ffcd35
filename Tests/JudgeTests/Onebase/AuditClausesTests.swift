import Core
import Protocols
import Testing

@testable import Judge

struct AuditClausesTests {
  private func answer(_ shown: UInt64?, _ fresh: UInt64?, missing: [Marker] = [], repeated: [Marker] = [])
    -> AuditAnswer
  {
    AuditAnswer(subscription: "notes:list {}", shown: shown, fresh: fresh, missing: missing, repeated: repeated)
  }

  private func showing(_ markers: Marker...) -> Play {
    var play = Play(MutationRunsOnce.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.update(.shows(1, markers)))
    return play
  }

  // MARK: - OB-S12

  @Test func markersOnceAndAnAuditWithAllPass() {
    var play = showing(marker(1), marker(2))
    play.audit(answer(1, 1))
    #expect(play.verdict() == .pass)
  }

  @Test func aMarkerTwiceWithinOneValueFails() {
    var play = showing(marker(1), marker(2), marker(1))
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.worst?.text == "the marker of client 7, mutation 1, stands twice within one value")
  }

  @Test func aMarkerTwiceProvesNothingWhereAFaultSentCallsTwice() {
    for (kind, verdict) in [("duplicateMessage:up", Verdict.inconclusive), ("duplicateMessage:down", .fail)] {
      var play = Play(MutationRunsOnce.self, faults: [kind])
      play.fault(0, .started)
      play.join(1)
      play.client(.sub(1))
      play.server(.update(.shows(1, [marker(1), marker(1)])))
      play.audit(answer(1, 1, repeated: [marker(1)]))
      #expect(play.verdict() == verdict)
    }
  }

  @Test func aMarkerInTwoValuesIsNoRepetition() {
    var play = showing(marker(1))
    play.server(.shows(1, marker(1), marker(2)))
    play.audit(answer(1, 1))
    #expect(play.verdict() == .pass)
  }

  @Test func anAcknowledgedMutationThatIsMissingFails() {
    var play = showing(marker(1))
    play.audit(answer(1, 1, missing: [marker(2)]))
    #expect(play.verdict() == .fail)
  }

  @Test func anAuditThatFindsARepetitionFails() {
    var play = showing()
    play.audit(answer(1, 1, repeated: [marker(2)]))
    #expect(play.verdict() == .fail)
  }

  @Test func withoutAnAuditHalfIsUnknown() {
    var play = showing(marker(1))
    #expect(play.verdict() == .inconclusive)
    var empty = showing()
    #expect(empty.verdict() == .notExercised)
    var failed = showing()
    failed.audit(answer(1, nil))
    #expect(failed.verdict() == .inconclusive)
  }

  // MARK: - OB-S13

  private func audited(_ answers: AuditAnswer...) -> Verdict {
    var play = Play(SubscriptionsConverge.self)
    for answer in answers { play.audit(answer) }
    return play.verdict()
  }

  @Test func aSubscriptionShowsWhatAFreshQueryAnswers() {
    #expect(audited(answer(1, 1)) == .pass)
    #expect(audited(answer(1, 1), answer(1, 2)) == .fail)
    #expect(audited(answer(nil, 2)) == .inconclusive)
    #expect(audited(answer(1, nil)) == .inconclusive)
    #expect(audited() == .notExercised)
  }
}
