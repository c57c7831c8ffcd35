import Core
import Protocols
import Testing

@testable import Judge

/// WS-C1 and WS-C2.
struct ReturnClausesTests {
  // MARK: - WS-C1

  @Test func aClientThatComesBackHoweverItWasLostPasses() {
    var play = Play(ConnectsAgain.self, speaking: .websocket)
    play.connect(1)
    play.drop(1)
    play.after(1)
    play.connect(2)
    play.drop(2, by: .server, how: .fin)
    play.after(1)
    play.connect(3)
    play.closeFrame(.down, code: 1012, on: 3)
    play.closeFrame(.up, code: 1012, on: 3)
    play.drop(3, by: .server, how: .fin)
    play.after(1)
    play.refusedAttempt(4, 503)
    play.after(2)
    play.connect(5)
    play.ping(on: 5)
    play.after(10)
    play.closeCleanly(5)
    play.after(1)
    play.connect(6)
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 5)
    #expect(
      finding.reason
        == "came back 1 of 1 times after RST, 1 of 1 times after FIN, 1 of 1 times after close frame, "
        + "1 of 1 times after failed attempt, 1 of 1 times after silence")
  }

  @Test func aClientThatStaysAwayFails() {
    var play = Play(ConnectsAgain.self, speaking: .websocket)
    play.connect(1)
    play.drop(1)
    play.after(67)
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(
      finding.worst?.text == "the client has not come back for 67.0 s after a RST; an attempt is expected within 66.0 s"
    )
  }

  @Test func aClientThatGivesUpAfterRefusalsFails() {
    var play = Play(ConnectsAgain.self, speaking: .websocket)
    for attempt in 1...4 as ClosedRange<UInt64> {
      play.refusedAttempt(attempt, 503)
      play.after(1)
    }
    play.after(100)
    #expect(play.finding().violations == 1)
  }

  @Test func anEarlyEndAndAClosedListenerAreInconclusive() {
    var early = Play(ConnectsAgain.self, speaking: .websocket)
    early.connect(1)
    early.drop(1)
    early.after(30)
    #expect(early.verdict() == .inconclusive)
    var hidden = Play(ConnectsAgain.self, speaking: .websocket, faults: ["refuse:closed"])
    hidden.connect(1)
    hidden.fault(0, .started)
    hidden.drop(1)
    hidden.after(90)
    hidden.fault(0, .ended)
    hidden.attempt(2)
    #expect(hidden.verdict() == .inconclusive)
  }

  @Test func aCloseOfItsOwnAfterASilenceMayBeItsLast() {
    var play = Play(ConnectsAgain.self, speaking: .websocket)
    play.connect(1)
    play.ping()
    play.after(20)
    play.closeCleanly()
    play.after(100)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func anOwnCloseExercisesNothing() {
    var play = Play(ConnectsAgain.self, speaking: .websocket)
    play.connect(1)
    play.closeCleanly()
    play.after(100)
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - WS-C2

  @Test func stayingAwayAfterAnOwnClosePasses() {
    var play = Play(StaysAwayAfterOwnClose.self, speaking: .websocket)
    play.connect(1)
    play.closeCleanly()
    play.after(10)
    #expect(play.verdict() == .pass)
  }

  @Test func comingBackAfterAnOwnCloseFails() {
    var play = Play(StaysAwayAfterOwnClose.self, speaking: .websocket)
    play.connect(1)
    play.closeCleanly(code: nil)
    play.after(1)
    play.attempt(2)
    #expect(play.verdict() == .fail)
  }

  @Test func comingBackBecauseItWasAskedToIsNoMatter() {
    var play = Play(StaysAwayAfterOwnClose.self, speaking: .websocket)
    play.connect(1)
    play.closeCleanly()
    play.after(1)
    play.intends(.started)
    play.attempt(2)
    #expect(play.verdict() == .notExercised)
  }

  @Test func closingASilentConnectionIsNoCleanClose() {
    var play = Play(StaysAwayAfterOwnClose.self, speaking: .websocket)
    play.connect(1)
    play.ping()
    play.pongInVain()
    play.after(10)
    play.closeCleanly()
    play.attempt(2)
    #expect(play.verdict() == .notExercised)
  }

  @Test func theRunsEndRightAfterIsInconclusive() {
    var play = Play(StaysAwayAfterOwnClose.self, speaking: .websocket)
    play.connect(1)
    play.closeCleanly()
    play.after(0.5)
    #expect(play.verdict() == .inconclusive)
  }
}
