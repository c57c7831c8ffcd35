import Core
import Protocols
import Testing

@testable import Judge

struct ReconnectClausesTests {
  // MARK: - OB-C4

  @Test func aClientThatComesBackPasses() {
    var play = Play(ClientReconnects.self)
    play.join(1)
    play.drop(1)
    play.after(65)
    play.attempt(2)
    #expect(play.verdict() == .pass)
  }

  @Test func aClientThatComesBackTooLateFails() {
    var play = Play(ClientReconnects.self)
    play.join(1)
    play.drop(1)
    play.after(67)
    play.attempt(2)
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.tolerance == "an attempt within the backoff cap of 60.0 s + 10 %")
  }

  @Test func aClientThatNeverComesBackFails() {
    var play = Play(ClientReconnects.self)
    play.join(1)
    play.drop(1, by: .server)
    play.after(100)
    play.run(.ended)
    #expect(play.verdict() == .fail)
  }

  @Test func aFailedAttemptIsAlsoToBeFollowedByAnother() {
    var play = Play(ClientReconnects.self)
    play.failedAttempt(1)
    play.after(100)
    #expect(play.verdict() == .fail)
  }

  @Test func aCloseThatItAskedForIsNoOpportunity() {
    var play = Play(ClientReconnects.self)
    play.join(1)
    play.drop(1, by: .client)
    play.join(2)
    play.closeFrame(.up, on: 2)
    play.drop(2, by: .server)
    play.join(3)
    play.intends(.stopped)
    play.drop(3)
    play.after(100)
    // Only the attempts that followed closes by others count, and there were none.
    #expect(play.verdict() == .notExercised)
  }

  @Test func aWaitThatTheRunCutOffIsInconclusive() {
    var play = Play(ClientReconnects.self)
    play.join(1)
    play.drop(1)
    play.after(20)
    play.run(.ended)
    play.after(100)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func whatTheRunsEndClosesIsNoDrop() {
    var play = Play(ClientReconnects.self)
    play.join(1)
    play.run(.ended)
    play.drop(1)
    play.after(100)
    #expect(play.verdict() == .notExercised)
  }

  @Test func aClosedListenerHidesAttempts() {
    var play = Play(ClientReconnects.self, faults: ["refuse:closed"])
    play.join(1)
    play.fault(0, .started)
    play.drop(1)
    play.after(50)
    play.fault(0, .ended)
    play.after(40)
    play.attempt(2)
    #expect(play.verdict() == .inconclusive)
  }

  // MARK: - OB-C5

  private func failures(pauses: [Double], faults: [String] = [], client: UInt32 = 7, _ play: inout Play) {
    play.join(1000 + UInt64(client) * 100, client: client)
    play.drop(1000 + UInt64(client) * 100)
    for (index, pause) in pauses.enumerated() {
      play.after(pause)
      play.failedAttempt(1001 + UInt64(client) * 100 + UInt64(index), client: client, lasting: 0.01)
    }
  }

  @Test func pausesThatGrowPass() {
    var play = Play(ClientBacksOff.self)
    failures(pauses: [0.5, 1, 2, 4, 8, 16, 32, 60], &play)
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 1)
  }

  @Test func pausesThatStayTheSameFail() {
    var play = Play(ClientBacksOff.self)
    failures(pauses: [1, 1, 1, 1, 1, 1, 1, 1], &play)
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
    #expect(play.judge.violations.map(\.clause) == ["OB-C5"])
  }

  @Test func pausesAtTheCapPass() {
    var play = Play(ClientBacksOff.self)
    failures(pauses: [60, 60, 60, 60, 60, 60, 60, 60], &play)
    #expect(play.verdict() == .pass)
  }

  @Test func fewerFailuresAreInconclusive() {
    var play = Play(ClientBacksOff.self)
    failures(pauses: [1, 1, 1, 1, 1, 1, 1], &play)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func anOpenSocketStartsTheScheduleOver() {
    var play = Play(ClientBacksOff.self)
    failures(pauses: [1, 1, 1, 1], &play)
    play.after(1)
    failures(pauses: [1, 1, 1, 1], client: 7, &play)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func aFloodOfAttemptsFails() {
    var play = Play(ClientBacksOff.self)
    failures(pauses: Array(repeating: 0.1, count: 12), &play)
    #expect(play.verdict() == .fail)
  }

  @Test func fiveAttemptsASecondAreNoFlood() {
    var play = Play(ClientBacksOff.self)
    for attempt in 0..<30 {
      play.at(Double(attempt) * 0.2)
      play.attempt(UInt64(attempt))
    }
    #expect(play.finding().violations == 0)
  }

  @Test func oneFlatRunOfManyIsChance() {
    var play = Play(ClientBacksOff.self)
    failures(pauses: [1, 1, 1, 1, 1, 1, 1, 1], client: 1, &play)
    for client in 2...20 { failures(pauses: [0.5, 1, 2, 4, 8, 16, 32, 60], client: UInt32(client), &play) }
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.reason == "1 runs of failures whose pauses did not grow are few enough to be chance")
  }

  @Test func pausesAcrossAClosedListenerAreCensored() {
    var play = Play(ClientBacksOff.self, faults: ["refuse:closed"])
    play.join(1)
    play.fault(0, .started)
    play.drop(1)
    play.after(30)
    play.fault(0, .ended)
    for attempt in 0..<8 {
      play.after(1)
      play.failedAttempt(10 + UInt64(attempt))
    }
    #expect(play.verdict() == .inconclusive)
  }

  // MARK: - OB-C6

  private func herd(_ offset: (Int) -> Double) -> ClauseFinding {
    var play = Play(BackoffIsDispersed.self)
    for client in 0..<40 { play.join(UInt64(client), client: UInt32(client)) }
    play.at(10)
    for client in 0..<40 { play.drop(UInt64(client)) }
    for client in (0..<40).sorted(by: { offset($0) < offset($1) }) {
      play.at(10 + offset(client))
      play.attempt(100 + UInt64(client), client: UInt32(client))
    }
    return play.finding()
  }

  @Test func attemptsSpreadOverTimeAreDispersed() {
    #expect(herd { 0.5 + Double($0) * 0.05 }.verdict == .pass)
  }

  @Test func aHerdIsNot() {
    let finding = herd { _ in 1 }
    #expect(finding.verdict == .fail)
    #expect(!finding.failsRun(strict: false))
    #expect(finding.failsRun(strict: true))
  }

  @Test func aFewClientsAreTooFew() {
    var play = Play(BackoffIsDispersed.self)
    play.join(1)
    play.drop(1)
    play.attempt(2)
    #expect(play.verdict() == .inconclusive)
    var idle = Play(BackoffIsDispersed.self)
    #expect(idle.verdict() == .notExercised)
  }
}
