import Core
import Protocols
import Testing

@testable import Judge

/// WS-C4, WS-C5, WS-C8 and WS-C9.
struct BackoffClausesTests {
  /// A drop, then failed attempts after these pauses.
  private func failures(_ pauses: [Double], _ play: inout Play, client: UInt32 = 7) {
    let base = UInt64(client) * 1_000
    play.connect(base, client: client)
    play.after(10)
    play.drop(base)
    for (index, pause) in pauses.enumerated() {
      play.after(pause)
      play.failedAttempt(base + 1 + UInt64(index), client: client)
    }
  }

  // MARK: - WS-C4

  private func growth(_ pauses: [Double], faults: [String] = []) -> ClauseFinding {
    var play = Play(PausesGrow.self, speaking: .websocket, faults: faults)
    failures(pauses, &play)
    return play.finding()
  }

  @Test func growingPausesPass() { #expect(growth([0.5, 1, 2, 4, 8, 16, 30, 30]).verdict == .pass) }
  @Test func pausesAtTheCapPass() { #expect(growth([60, 60, 60, 60, 60, 60, 60, 60]).verdict == .pass) }

  @Test func equalPausesFail() {
    let finding = growth([1, 1, 1, 1, 1, 1, 1, 1])
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
    #expect(finding.worst?.text.contains("the later pauses last 1.000 s on average") == true)
  }

  @Test func fewFailuresDoNotDecide() { #expect(growth([1, 1, 1]).verdict == .inconclusive) }

  @Test func pausesAcrossAClosedListenerDoNotDecide() {
    var play = Play(PausesGrow.self, speaking: .websocket, faults: ["refuse:closed"])
    play.connect(1)
    play.fault(0, .started)
    play.drop(1)
    play.after(10)
    play.fault(0, .ended)
    for attempt in 2...12 as ClosedRange<UInt64> {
      play.after(1)
      play.failedAttempt(attempt)
    }
    #expect(play.verdict() == .inconclusive)
  }

  @Test func noDropExercisesNothing() {
    var play = Play(PausesGrow.self, NoHotLoop.self, speaking: .websocket)
    play.connect(1)
    play.after(10)
    #expect(play.verdict() == .notExercised)
    #expect(play.judge.findings[1].verdict == .notExercised)
  }

  // MARK: - WS-C5

  @Test func attemptsWithPausesPass() {
    var play = Play(NoHotLoop.self, speaking: .websocket)
    failures([0.5, 1, 2], &play)
    #expect(play.verdict() == .pass)
  }

  @Test func aFloodFailsOnce() {
    var play = Play(NoHotLoop.self, speaking: .websocket)
    failures([Double](repeating: 0.05, count: 40), &play)
    #expect(play.finding().violations == 1)
  }

  @Test func aFloodDuringAStallIsDoubted() {
    var play = Play(NoHotLoop.self, speaking: .websocket)
    play.run(.stall(.seconds(5)))
    for attempt in 1...15 as ClosedRange<UInt64> { play.failedAttempt(attempt) }
    #expect(play.finding().violations == 0)
    #expect(play.finding().undecided == 1)
  }

  // MARK: - WS-C8

  /// Pauses that have grown, a connection that opens for this long, and the pause after it.
  private func opening(of length: Double, then pause: Double, grown: [Double] = [0.5, 1, 2, 4]) -> ClauseFinding {
    var play = Play(BackoffOutlivesShortOpening.self, speaking: .websocket)
    failures(grown, &play)
    play.after(8)
    play.connect(2)
    play.after(length)
    play.drop(2)
    play.after(pause)
    play.attempt(3)
    return play.finding()
  }

  @Test func pausesThatGoOnAfterAShortOpeningPass() { #expect(opening(of: 0.2, then: 8).verdict == .pass) }

  @Test func pausesThatStartOverOnAMereOpenFail() {
    let finding = opening(of: 0.2, then: 0.5)
    #expect(finding.verdict == .fail)
    #expect(finding.info.level == .should)
    #expect(
      finding.worst?.text
        == "the pause fell from 8.00 s to 0.50 s after a connection that was open for 200 ms only")
  }

  @Test func startingOverAfterAHealthyConnectionIsRight() {
    #expect(opening(of: 6, then: 0.5).verdict == .notExercised)
  }

  @Test func pausesThatHadNotGrownDoNotDecide() {
    var play = Play(BackoffOutlivesShortOpening.self, speaking: .websocket)
    failures([0.5, 1], &play)
    play.after(1)
    play.connect(2)
    play.after(0.2)
    play.drop(2)
    play.after(0.5)
    play.attempt(3)
    #expect(play.verdict() == .inconclusive)
  }

  // MARK: - WS-C9

  private func told(_ header: HeaderField, _ more: HeaderField..., then pause: Double?) -> ClauseFinding {
    var play = Play(RetryAfterIsHonoured.self, speaking: .websocket)
    play.attempt(1)
    play.emit(1, .client, .down, .upgradeResponse(UpgradeResponse(status: 503, headers: [header] + more)))
    play.drop(1, by: .server, how: .fin)
    if let pause {
      play.after(pause)
      play.attempt(2)
    }
    return play.finding()
  }

  @Test func waitingAsLongAsToldPasses() { #expect(told(HeaderField("Retry-After", "5"), then: 5.2).verdict == .pass) }
  @Test func comingBackTooEarlyFails() {
    let finding = told(HeaderField("retry-after", "5"), then: 1)
    #expect(finding.verdict == .fail)
    #expect(finding.worst?.text == "the client comes back after 1.00 s although Retry-After asked for 5.00 s")
  }

  @Test func aDateCountsFromTheServersOwn() {
    let until = HeaderField("Retry-After", "Tue, 01 Dec 2026 05:00:10 GMT")
    let now = HeaderField("Date", "Tue, 01 Dec 2026 05:00:00 GMT")
    #expect(told(until, now, then: 9).verdict == .fail)
    #expect(told(until, now, then: 10).verdict == .pass)
    #expect(told(until, then: 1).verdict == .notExercised)
  }

  @Test func theEndBeforeItComesBackIsInconclusive() {
    #expect(told(HeaderField("Retry-After", "5"), then: nil).verdict == .inconclusive)
  }

  @Test func aRefusalWithoutItExercisesNothing() {
    #expect(told(HeaderField("Server", "x"), then: 1).verdict == .notExercised)
  }

  @Test func datesAreReadAsSecondsSince1970() {
    #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(HTTPDate.seconds("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800)
    #expect(HTTPDate.seconds("tomorrow") == nil)
  }
}
