import Core
import Protocols
import Testing

@testable import Judge

struct AnswerClausesTests {
  // MARK: - OB-S3

  private func reply(_ texts: String..., later: Double = 0) -> Verdict {
    var play = Play(AuthIsAnswered.self)
    play.connect(1)
    play.client(.auth(token: "t"))
    for text in texts { play.server(raw: text) }
    play.after(later)
    return play.verdict()
  }

  @Test func everyShapeOfReplyPasses() {
    #expect(reply(#"{"type":"auth","ok":true,"identity":null}"#) == .pass)
    #expect(reply(#"{"type":"auth","ok":true,"identity":{"subject":"m1"}}"#) == .pass)
    #expect(reply(#"{"type":"auth","ok":false,"error":"no"}"#) == .pass)
  }

  @Test func aReplyWithoutIdentityOrErrorFails() {
    #expect(reply(#"{"type":"auth","ok":true}"#) == .fail)
    #expect(reply(#"{"type":"auth","ok":false}"#) == .fail)
  }

  @Test func aSecondReplyFails() {
    #expect(
      reply(#"{"type":"auth","ok":true,"identity":null}"#, #"{"type":"auth","ok":true,"identity":null}"#) == .fail)
  }

  @Test func aReplyThatNeverComesFails() { #expect(reply(later: 11) == .fail) }
  @Test func aReplyThatWasNotDueIsInconclusive() { #expect(reply(later: 9) == .inconclusive) }

  @Test func anAuthThatNeverReachedTheServerNeedsNoReply() {
    var play = Play(AuthIsAnswered.self)
    play.connect(1)
    play.clientInVain(.auth(token: nil))
    play.after(60)
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - OB-S4

  @Test func aFirstUpdatePassesAloneOrInATransition() {
    var play = Play(SubscriptionIsAnswered.self)
    play.join(1)
    play.client(.sub(1))
    play.client(.sub(2))
    play.server(.shows(1))
    play.server(.together([.shows(2, [])], []))
    play.server(.shows(1))
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 2)
  }

  @Test func anErrorIsAFirstUpdateToo() {
    var play = Play(SubscriptionIsAnswered.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.fails(1))
    #expect(play.verdict() == .pass)
  }

  @Test func aSubscriptionWithoutAnUpdateFails() {
    var play = Play(SubscriptionIsAnswered.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.shows(2))
    play.after(11)
    #expect(play.verdict() == .fail)
  }

  @Test func aSubscriptionThatWasEndedNeedsNone() {
    var play = Play(SubscriptionIsAnswered.self)
    play.join(1)
    play.client(.sub(1))
    play.client(.unsubscribe(id: 1))
    play.after(11)
    #expect(play.verdict() == .notExercised)
  }

  @Test func anUpdateThatAFaultSwallowedWasSent() {
    var play = Play(SubscriptionIsAnswered.self)
    play.join(1)
    play.client(.sub(1))
    play.serverInVain(.shows(1))
    play.after(60)
    #expect(play.verdict() == .pass)
  }

  @Test func aMissingUpdateUnderABlackholeIsInconclusive() {
    var play = Play(SubscriptionIsAnswered.self, faults: ["blackhole"])
    play.join(1)
    play.client(.sub(1))
    play.fault(0, .started)
    play.after(60)
    #expect(play.verdict() == .inconclusive)
  }

  // MARK: - OB-S7

  @Test func oneResultPassesAloneOrInATransition() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    play.client(.add(1))
    play.client(.add(2))
    play.server(.answers(1))
    play.server(.together([], [.answers(2)]))
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 2)
  }

  @Test func aSecondResultFails() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    play.client(.add(1))
    play.server(.answers(1))
    play.server(.answers(1))
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
  }

  @Test func twoResultsInOneTransitionFail() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    play.client(.add(1))
    play.server(.together([], [.answers(1), .answers(1)]))
    #expect(play.verdict() == .fail)
  }

  @Test(.timeLimit(.minutes(1))) func aTransitionOfManyThousandResultsIsJudgedInOnePass() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    play.client(.add(1))
    let results = (2...60_000).map { "{\"type\":\"result\",\"requestId\":\($0),\"ok\":true,\"value\":1}" }
    play.server(raw: "{\"type\":\"transition\",\"updates\":[],\"results\":[\(results.joined(separator: ","))]}")
    #expect(play.finding().violations == 59_999)
  }

  @Test func aResultThatNobodyAskedForFails() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    play.server(.answers(1))
    #expect(play.verdict() == .fail)
  }

  @Test func aResultThatNeverComesFailsWhileTheConnectionLives() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    play.client(.add(1))
    play.after(10.1)
    #expect(play.verdict() == .fail)
  }

  @Test func aCallThatADropTookIsInconclusive() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    play.client(.add(1))
    play.after(1)
    play.drop(1)
    play.after(60)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func aLateResultIsAResult() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    play.client(.add(1))
    play.after(30)
    play.server(.answers(1))
    #expect(play.verdict() == .pass)
  }

  @Test func withoutCallsNothingIsAnswered() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    #expect(play.verdict() == .notExercised)
  }
}
