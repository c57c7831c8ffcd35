import Core
import Protocols
import Testing

@testable import Judge

struct AuthClausesTests {
  // MARK: - OB-C1

  @Test func authFirstPasses() {
    var play = Play(AuthComesFirst.self)
    play.join(1)
    play.client(.sub(1))
    play.drop(1)
    play.join(2, token: "ob_s_1")
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 2)
  }

  @Test func anythingElseFirstFailsOncePerConnection() {
    var play = Play(AuthComesFirst.self)
    play.connect(1)
    play.client(.sub(1))
    play.client(.sub(2))
    play.client(.auth(token: nil))
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
    #expect(finding.opportunities == 1)
    #expect(finding.worst?.text == "the first message of a connection is a `sub`, not `auth`")
    #expect(finding.worst?.client == ClientID(7))
  }

  @Test func aBinaryOrBrokenFirstMessageFails() {
    var play = Play(AuthComesFirst.self)
    play.connect(1)
    play.client(raw: "hello")
    #expect(play.verdict() == .fail)
  }

  @Test func aConnectionWithoutAMessageIsNoOpportunity() {
    var play = Play(AuthComesFirst.self)
    play.connect(1)
    play.ping()
    #expect(play.verdict() == .notExercised)
  }

  @Test func aSwallowedAuthWasStillSent() {
    var play = Play(AuthComesFirst.self)
    play.connect(1)
    play.clientInVain(.auth(token: nil))
    play.client(.sub(1))
    #expect(play.verdict() == .pass)
  }

  // MARK: - OB-C2

  @Test func oneAuthPasses() {
    var play = Play(AuthComesOnce.self)
    play.join(1)
    play.client(.sub(1))
    #expect(play.verdict() == .pass)
  }

  @Test func aSecondAuthFails() {
    var play = Play(AuthComesOnce.self)
    play.join(1)
    play.client(.sub(1))
    play.client(.auth(token: "x"))
    #expect(play.verdict() == .fail)
  }

  @Test func aCallBeforeAuthFailsOnce() {
    var play = Play(AuthComesOnce.self)
    play.connect(1)
    play.client(.add(1))
    play.client(.sub(1))
    play.client(.auth(token: nil))
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
  }

  @Test func authOnceIsNotExercisedWithoutMessages() {
    var play = Play(AuthComesOnce.self)
    play.connect(1)
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - OB-C11

  private func endedToken(then token: String?) -> Verdict {
    var play = Play(EndedTokenIsForgotten.self)
    play.connect(1)
    play.client(.auth(token: "old"))
    play.server(.authenticationFailed(error: "signed out", ended: true))
    play.drop(1)
    play.connect(2)
    play.client(.auth(token: token), on: 2)
    return play.verdict()
  }

  @Test func anEndedTokenIsNotSentAgain() {
    #expect(endedToken(then: nil) == .pass)
    #expect(endedToken(then: "new") == .pass)
    #expect(endedToken(then: "old") == .fail)
  }

  @Test func endedTokensAreNotExercisedByOtherFailures() {
    var play = Play(EndedTokenIsForgotten.self)
    play.connect(1)
    play.client(.auth(token: "old"))
    play.server(.authenticationFailed(error: "try later", ended: false))
    play.drop(1)
    play.connect(2)
    play.client(.auth(token: "old"), on: 2)
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - OB-C12

  private func failure(then token: String?, _ intent: Intent? = nil) -> Verdict {
    var play = Play(OtherFailureKeepsToken.self)
    play.connect(1)
    play.client(.auth(token: "t"))
    play.server(.authenticationFailed(error: "try later", ended: false))
    play.drop(1)
    if let intent { play.intends(intent) }
    play.connect(2)
    play.client(.auth(token: token), on: 2)
    return play.verdict()
  }

  @Test func aFailureThatMayPassKeepsTheToken() {
    #expect(failure(then: "t") == .pass)
    #expect(failure(then: "refreshed") == .pass)
    #expect(failure(then: nil) == .fail)
    #expect(failure(then: nil, .user(subject: nil)) == .inconclusive)
  }

  @Test func keepingATokenIsNotExercisedWithoutAFailure() {
    var play = Play(OtherFailureKeepsToken.self)
    play.join(1, token: "t")
    play.drop(1)
    play.join(2)
    #expect(play.verdict() == .notExercised)
  }
}
