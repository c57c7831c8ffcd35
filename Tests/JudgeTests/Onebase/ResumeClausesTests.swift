import Core
import Protocols
import Testing

@testable import Judge

struct ResumeClausesTests {
  // MARK: - OB-C7

  @Test func authThenSubscriptionsThenCallsPasses() {
    var play = Play(ResumesInOrder.self)
    play.join(1)
    play.client(.sub(1))
    play.drop(1)
    play.join(2)
    play.client(.sub(1), on: 2)
    play.client(.add(1), on: 2)
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 1)
  }

  @Test func aCallBeforeWhatWasLiveIsResumedFails() {
    var play = Play(ResumesInOrder.self)
    play.join(1)
    play.client(.sub(1, room: 1))
    play.client(.sub(2, room: 2))
    play.drop(1)
    play.join(2)
    play.client(.sub(1, room: 1), on: 2)
    play.client(.add(1), on: 2)
    play.client(.sub(2, room: 2), on: 2)
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
  }

  @Test func aSubscriptionBeforeAuthFails() {
    var play = Play(ResumesInOrder.self)
    play.join(1)
    play.client(.sub(1))
    play.drop(1)
    play.connect(2)
    play.client(.sub(1), on: 2)
    play.client(.auth(token: nil), on: 2)
    #expect(play.verdict() == .fail)
  }

  @Test func aNewWantAfterACallIsNoMatterOfOrder() {
    var play = Play(ResumesInOrder.self)
    play.join(1)
    play.client(.sub(1, room: 1))
    play.drop(1)
    play.join(2)
    play.client(.sub(1, room: 1), on: 2)
    play.client(.add(1), on: 2)
    play.client(.sub(2, room: 2), on: 2)
    #expect(play.verdict() == .pass)
  }

  @Test func theFirstConnectionIsNotJudged() {
    var play = Play(ResumesInOrder.self)
    play.join(1)
    play.client(.add(1))
    play.client(.sub(1))
    #expect(play.verdict() == .notExercised)
  }

  @Test func aReconnectThatBreaksOffLeavesItsDutyToTheNext() {
    var play = Play(ResumesInOrder.self)
    play.join(1)
    play.client(.sub(1))
    play.drop(1)
    play.connect(2)
    play.client(.auth(token: nil), on: 2)
    play.drop(2)
    play.join(3)
    play.client(.add(1), on: 3)
    play.client(.sub(1), on: 3)
    #expect(play.verdict() == .fail)
  }

  // MARK: - OB-C8

  @Test func whatWasLiveIsSubscribedAgainWhateverItsIdPasses() {
    var play = Play(SubscribesAgain.self)
    play.join(1)
    play.client(.sub(1, room: 1))
    play.client(.sub(2, room: 2))
    play.client(.unsubscribe(id: 2))
    play.drop(1)
    play.join(2)
    play.client(.sub(9, room: 1), on: 2)
    #expect(play.verdict() == .pass)
  }

  @Test func subscriptionsThatAreSentBeforeTheAuthReplyCount() {
    var play = Play(SubscribesAgain.self)
    play.join(1)
    play.client(.sub(1))
    play.drop(1)
    play.connect(2)
    play.client(.auth(token: nil), on: 2)
    play.client(.sub(1), on: 2)
    play.drop(2)
    #expect(play.verdict() == .pass)
  }

  private func forgotten(_ play: inout Play) {
    play.join(1)
    play.client(.sub(1, room: 1))
    play.client(.sub(2, room: 2))
    play.drop(1)
    play.join(2)
    play.client(.sub(1, room: 1), on: 2)
    play.after(6)
  }

  @Test func aForgottenSubscriptionFailsWhereTheClientSaysWhatItWants() {
    var play = Play(SubscribesAgain.self)
    play.intends(.started)
    forgotten(&play)
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(
      finding.worst?.text
        == "1 of 2 subscriptions live at the drop were not sent again within 5.00 s of the auth reply")
  }

  @Test func aForgottenSubscriptionIsInconclusiveWithoutIntent() {
    var play = Play(SubscribesAgain.self)
    forgotten(&play)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func aSubscriptionThatIsNotWantedAnyMoreIsNotMissed() {
    var play = Play(SubscribesAgain.self)
    play.intends(.started)
    play.join(1)
    play.client(.sub(1, room: 1))
    play.client(.sub(2, room: 2))
    play.drop(1)
    play.intends(.unwant(path: "notes:list", arguments: #"{"room":2}"#))
    play.join(2)
    play.client(.sub(1, room: 1), on: 2)
    play.after(6)
    #expect(play.verdict() == .pass)
  }

  @Test func aConnectionThatEndsTooSoonLeavesItsDutyToTheNext() {
    var play = Play(SubscribesAgain.self)
    play.intends(.started)
    play.join(1)
    play.client(.sub(1))
    play.drop(1)
    play.join(2)
    play.after(1)
    play.drop(2)
    play.join(3)
    play.after(6)
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
  }

  @Test func aRunThatEndsTooSoonIsInconclusive() {
    var play = Play(SubscribesAgain.self)
    play.intends(.started)
    play.join(1)
    play.client(.sub(1))
    play.drop(1)
    play.join(2)
    play.after(1)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func withoutADropNothingIsSubscribedAgain() {
    var play = Play(SubscribesAgain.self)
    play.join(1)
    play.client(.sub(1))
    #expect(play.verdict() == .notExercised)
  }
}
