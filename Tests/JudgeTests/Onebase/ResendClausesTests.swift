import Core
import Protocols
import Testing

@testable import Judge

struct ResendClausesTests {
  // MARK: - OB-C9

  @Test func aLostCallThatStaysLostPasses() {
    var play = Play(NeverSendsAgain.self)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.drop(1)
    play.join(2)
    play.client(.add(1, marker(2)), on: 2)
    #expect(play.verdict() == .pass)
  }

  @Test func aLostCallThatIsSentAgainFailsEvenUnderAnotherNumber() {
    var play = Play(NeverSendsAgain.self)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.drop(1)
    play.join(2)
    play.client(.add(5, marker(1)), on: 2)
    #expect(play.verdict() == .fail)
  }

  @Test func aCallThatAFaultSwallowedWasSentAllTheSame() {
    var play = Play(NeverSendsAgain.self)
    play.join(1)
    play.clientInVain(.add(1, marker(1)))
    play.drop(1)
    play.join(2)
    play.client(.add(1, marker(1)), on: 2)
    #expect(play.verdict() == .fail)
  }

  @Test func aResultThatNeverReachedTheClientIsNoAnswer() {
    var play = Play(NeverSendsAgain.self)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.serverInVain(.answers(1))
    play.drop(1)
    play.join(2)
    play.client(.add(1, marker(1)), on: 2)
    #expect(play.verdict() == .fail)
  }

  @Test func aCallWithoutAMarkerMayHaveBeenAskedForAnew() {
    var play = Play(NeverSendsAgain.self)
    play.join(1)
    play.client(.add(1))
    play.drop(1)
    play.connect(2)
    play.client(.auth(token: nil), on: 2)
    play.client(.add(1), on: 2)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func anAnsweredCallLeavesNothingToSendAgain() {
    var play = Play(NeverSendsAgain.self)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.server(.together([], [.answers(1)]))
    play.drop(1)
    play.join(2)
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - OB-C10

  private func queued(_ sent: [UInt32]) -> Verdict {
    var play = Play(QueuedCallsKeepOrder.self)
    for number in 1...3 as ClosedRange<UInt32> {
      play.intends(.call(kind: "mutation", path: "notes:add", marker: marker(number), offline: true))
    }
    play.join(1)
    for (request, number) in sent.enumerated() { play.client(.add(Int64(request), marker(number))) }
    return play.verdict()
  }

  @Test func queuedCallsComeInTheOrderTheyWereMade() {
    #expect(queued([1, 2, 3]) == .pass)
    #expect(queued([1, 3]) == .pass)
    #expect(queued([2, 1, 3]) == .fail)
    #expect(queued([9]) == .notExercised)
    #expect(queued([1]) == .notExercised)
  }
}
