import Core
import Protocols
import Testing

@testable import Judge

struct SubscriptionClausesTests {
  // MARK: - OB-S6

  private func unsubscribed() -> Play {
    var play = Play(UnsubscribedStaysQuiet.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.shows(1))
    play.client(.unsubscribe(id: 1))
    return play
  }

  @Test func updatesBeforeARoundTripAreStillUnderWay() {
    var play = unsubscribed()
    play.server(.shows(1))
    play.client(.add(1))
    play.server(.shows(1))
    play.server(.answers(1))
    #expect(play.verdict() == .pass)
  }

  @Test func anUpdateAfterAnAnsweredCallFails() {
    var play = unsubscribed()
    play.client(.add(1))
    play.server(.answers(1))
    play.server(.together([.shows(1, [])], []))
    #expect(play.verdict() == .fail)
  }

  @Test func anUpdateAfterAnAnsweredPingFails() {
    var play = unsubscribed()
    play.ping()
    play.pong()
    play.server(.shows(1))
    #expect(play.verdict() == .fail)
  }

  @Test func aNewSubscriptionWithTheIdIsShown() {
    var play = unsubscribed()
    play.client(.sub(1))
    play.ping()
    play.pong()
    play.server(.shows(1))
    #expect(play.verdict() == .notExercised)
  }

  @Test func withoutARoundTripNothingIsProven() {
    var play = unsubscribed()
    #expect(play.verdict() == .inconclusive)
  }

  // MARK: - OB-S11

  @Test func anOkUpdateAfterAnErrorPasses() {
    var play = Play(FailedSubscriptionRecovers.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.fails(1))
    play.server(.shows(1))
    #expect(play.verdict() == .pass)
  }

  @Test func aNewSubscriptionIsNoRecovery() {
    var play = Play(FailedSubscriptionRecovers.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.fails(1))
    play.client(.sub(1))
    play.server(.shows(1))
    #expect(play.verdict() == .notExercised)
  }

  @Test func aFailureThatLastsDecidesNothing() {
    var play = Play(FailedSubscriptionRecovers.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.fails(1))
    #expect(play.verdict() == .inconclusive)
  }
}
