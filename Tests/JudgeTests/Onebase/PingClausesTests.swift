import Core
import Protocols
import Testing

@testable import Judge

struct PingClausesTests {
  // MARK: - OB-C3

  @Test func aClientThatPingsEveryMinutePasses() {
    var play = Play(ClientPings.self)
    play.join(1)
    for minute in 1...3 {
      play.at(Double(minute) * 60)
      play.ping()
    }
    #expect(play.verdict() == .pass)
  }

  @Test func aSilenceLongerThanAMinuteAndItsToleranceFails() {
    var play = Play(ClientPings.self)
    play.join(1)
    play.at(63.5)
    play.ping()
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.tolerance == "60.0 s + 5 % between client frames")
  }

  @Test func aSilenceUntilTheEndFails() {
    var play = Play(ClientPings.self)
    play.join(1)
    play.at(70)
    play.drop(1, by: .server)
    #expect(play.verdict() == .fail)
  }

  @Test func whatTheServerSaysAndPongsThatNobodyAskedForDoNotCount() {
    var play = Play(ClientPings.self)
    play.join(1)
    play.at(40)
    play.clientPong()
    play.server(.shows(1))
    play.at(70)
    play.ping()
    #expect(play.verdict() == .fail)
  }

  @Test func aPongThatAnswersAPingCounts() {
    var play = Play(ClientPings.self)
    play.join(1)
    play.at(40)
    play.serverPing()
    play.clientPong()
    play.at(70)
    play.ping()
    #expect(play.verdict() == .pass)
  }

  @Test func aConnectionShorterThanAMinuteIsNoOpportunity() {
    var play = Play(ClientPings.self)
    play.join(1)
    play.at(50)
    play.drop(1)
    #expect(play.verdict() == .notExercised)
  }

  @Test func aSilenceUnderABlackholeOrAStallIsInconclusive() {
    var play = Play(ClientPings.self, faults: ["blackhole"])
    play.join(1)
    play.at(10)
    play.fault(0, .started)
    play.at(40)
    play.fault(0, .ended)
    play.at(70)
    play.ping()
    #expect(play.verdict() == .inconclusive)

    var stalled = Play(ClientPings.self)
    stalled.join(1)
    stalled.at(64)
    stalled.run(.stall(.seconds(5)))
    stalled.ping()
    #expect(stalled.verdict() == .inconclusive)
  }

  // MARK: - OB-S1

  @Test func anAnsweredPingPasses() {
    var play = Play(PingIsAnswered.self)
    play.join(1)
    play.ping([1])
    play.after(4.9)
    play.pong([1])
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 1)
  }

  @Test func aLatePongFailsOnce() {
    var play = Play(PingIsAnswered.self)
    play.join(1)
    play.ping([1])
    play.after(5.1)
    play.pong([1])
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
  }

  @Test func aPingThatIsNeverAnsweredFails() {
    var play = Play(PingIsAnswered.self)
    play.join(1)
    play.ping([1])
    play.after(6)
    #expect(play.verdict() == .fail)
  }

  @Test func aPongWithAnotherPayloadAnswersNothing() {
    var play = Play(PingIsAnswered.self)
    play.join(1)
    play.ping([1])
    play.pong([2])
    play.after(6)
    #expect(play.verdict() == .fail)
  }

  @Test func onePongMayAnswerSeveralPings() {
    var play = Play(PingIsAnswered.self)
    play.join(1)
    play.ping([1])
    play.ping([2])
    play.pong([2])
    play.after(60)
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 2)
  }

  @Test func aPongThatAFaultSwallowedWasSent() {
    var play = Play(PingIsAnswered.self, faults: ["deadHeartbeat"])
    play.join(1)
    play.fault(0, .started)
    play.ping([1])
    play.emit(1, .upstream, .down, .pong([1]), .dropped)
    play.after(60)
    #expect(play.verdict() == .pass)
  }

  @Test func aPingThatDidNotReachTheServerIsNoOpportunity() {
    var play = Play(PingIsAnswered.self)
    play.join(1)
    play.emit(1, .client, .up, .ping([1]), .dropped)
    play.after(60)
    #expect(play.verdict() == .notExercised)
  }

  @Test func aConnectionThatEndsBeforeThePongIsDueIsInconclusive() {
    var play = Play(PingIsAnswered.self)
    play.join(1)
    play.ping([1])
    play.after(2)
    play.drop(1)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func aMissingPongUnderABlackholeIsInconclusive() {
    var play = Play(PingIsAnswered.self, faults: ["blackhole"])
    play.join(1)
    play.ping([1])
    play.fault(0, .started)
    play.after(30)
    #expect(play.verdict() == .inconclusive)
  }
}
