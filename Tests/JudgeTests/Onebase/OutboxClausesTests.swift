import Core
import Protocols
import Testing

@testable import Judge

struct OutboxClausesTests {
  private func queue(_ numbers: ClosedRange<UInt32>, _ play: inout Play) {
    for number in numbers {
      play.intends(.call(kind: "mutation", path: "notes:add", marker: marker(number), offline: true))
    }
  }

  // MARK: - OB-C15

  private func restart(then sent: [UInt32]) -> ClauseFinding {
    var play = Play(OutboxOutlivesRestart.self)
    queue(1...3, &play)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.server(.answers(1))
    play.drop(1)
    play.intends(.restarted)
    play.join(2)
    for (request, number) in sent.enumerated() { play.client(.add(Int64(request), marker(number)), on: 2) }
    play.after(20)
    return play.finding()
  }

  @Test func queuedMutationsOutliveARestartInOrder() {
    #expect(restart(then: [2, 3]).verdict == .pass)
    #expect(restart(then: [3, 2]).verdict == .fail)
  }

  @Test func aQueuedMutationThatARestartLosesFails() { #expect(restart(then: [2]).violations == 1) }

  @Test func anAnsweredOrSentMutationIsNotSentAgainAfterARestart() {
    #expect(restart(then: [1, 2, 3]).verdict == .fail)
    #expect(restart(then: [2, 3, 3]).verdict == .fail)
  }

  @Test func aClientThatIsNotBackAfterItsRestartIsInconclusive() {
    var play = Play(OutboxOutlivesRestart.self)
    queue(1...1, &play)
    play.intends(.restarted)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func withoutARestartNothingIsProven() {
    var play = Play(OutboxOutlivesRestart.self)
    queue(1...2, &play)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.client(.add(2, marker(2)))
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - OB-C16

  private func lost(reported: Bool, isBack: Bool = true, resent: Bool = false) -> Verdict {
    var play = Play(LostMutationIsReported.self)
    play.intends(.started)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.drop(1)
    if reported { play.intends(.callLost(path: "notes:add", marker: marker(1))) }
    if isBack { play.join(2) }
    if resent { play.client(.add(1, marker(1)), on: 2) }
    return play.verdict()
  }

  @Test func aLostMutationIsReported() {
    #expect(lost(reported: true) == .pass)
    #expect(lost(reported: false) == .fail)
    #expect(lost(reported: false, isBack: false) == .inconclusive)
    #expect(lost(reported: true, resent: true) == .fail)
  }

  @Test func aForeignClientsReportsAreNotExpected() {
    var play = Play(LostMutationIsReported.self)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.drop(1)
    play.join(2)
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - OB-C18

  @Test func aTransitionIsAppliedAtOnce() {
    var play = Play(TransitionIsAppliedAtOnce.self)
    play.intends(.transitionApplied(updates: 1, results: 0, atOnce: true))
    #expect(play.judge.findings[0].verdict == .notExercised)
    play.intends(.transitionApplied(updates: 1, results: 1, atOnce: true))
    #expect(play.judge.findings[0].verdict == .pass)
    play.intends(.transitionApplied(updates: 2, results: 1, atOnce: false))
    #expect(play.verdict() == .fail)
  }
}
