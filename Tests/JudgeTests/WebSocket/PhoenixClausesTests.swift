import Core
import Protocols
import Testing

@testable import Judge

/// WS-C13 to WS-C18.
struct PhoenixClausesTests {
  private func joins(_ topic: String, _ ref: Int) -> String {
    #"{"topic":"\#(topic)","event":"phx_join","payload":{"config":{"private":false}},"ref":"\#(ref)"}"#
  }
  private func leaves(_ topic: String, _ ref: Int) -> String {
    #"{"topic":"\#(topic)","event":"phx_leave","payload":{},"ref":"\#(ref)"}"#
  }
  private func replies(_ topic: String, _ ref: Int) -> String {
    #"{"topic":"\#(topic)","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":"\#(ref)"}"#
  }
  private func ends(_ topic: String) -> String {
    #"{"topic":"\#(topic)","event":"phx_error","payload":{},"ref":null}"#
  }
  private func beats(_ ref: Int) -> String { #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"\#(ref)"}"# }

  /// The client joins, and is answered.
  private func join(_ topic: String, _ ref: Int, on connection: UInt64 = 1, _ play: inout Play) {
    play.client(raw: joins(topic, ref), on: connection)
    play.server(raw: replies(topic, ref), on: connection)
  }

  // MARK: - WS-C13

  @Test func joiningOncePasses() {
    var play = Play(JoinsOnce.self, speaking: .phoenix)
    play.connect(1)
    join("room:1", 1, &play)
    join("room:2", 2, &play)
    play.server(raw: ends("room:1"))
    join("room:1", 3, &play)
    play.client(raw: leaves("room:2", 4))
    join("room:2", 5, &play)
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 4)
  }

  @Test func joiningAJoinedChannelFails() {
    var play = Play(JoinsOnce.self, speaking: .phoenix)
    play.connect(1)
    join("room:1", 1, &play)
    play.client(raw: joins("room:1", 2))
    #expect(play.finding().violations == 1)
  }

  @Test func otherMessagesExerciseNothing() {
    var play = Play(JoinsOnce.self, JoinsBeforeItLeaves.self, JoinsAgain.self, speaking: .phoenix)
    play.connect(1)
    play.client(raw: beats(1))
    play.client(raw: "no JSON")
    play.drop(1)
    _ = play.finding()
    #expect(play.judge.findings.allSatisfy { $0.verdict == .notExercised })
  }

  // MARK: - WS-C14

  @Test func leavingWhatWasJoinedPasses() {
    var play = Play(JoinsBeforeItLeaves.self, speaking: .phoenix)
    play.connect(1)
    join("room:1", 1, &play)
    play.client(raw: leaves("room:1", 2))
    play.drop(1)
    play.connect(2)
    join("room:1", 3, on: 2, &play)
    #expect(play.finding().opportunities == 2)
  }

  @Test func leavingBeforeTheJoinFails() {
    var play = Play(JoinsBeforeItLeaves.self, speaking: .phoenix)
    play.connect(1)
    join("room:1", 1, &play)
    play.drop(1)
    play.connect(2)
    play.client(raw: leaves("room:1", 2), on: 2)
    join("room:1", 3, on: 2, &play)
    #expect(play.verdict() == .fail)
  }

  // MARK: - WS-C15

  @Test func heartbeatsInTimePass() {
    var play = Play(HeartbeatIsSent.self, speaking: .phoenix)
    play.connect(1)
    for ref in 1...3 {
      play.after(25)
      play.client(raw: beats(ref))
    }
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 3)
  }

  @Test func otherTrafficIsNoHeartbeat() {
    var play = Play(HeartbeatIsSent.self, speaking: .phoenix)
    play.connect(1)
    for ref in 1...4 {
      play.after(10)
      play.client(raw: joins("room:\(ref)", ref))
    }
    #expect(play.verdict() == .fail)
  }

  @Test func aStallBetweenHeartbeatsIsInconclusive() {
    var play = Play(HeartbeatIsSent.self, speaking: .phoenix)
    play.connect(1)
    play.after(40)
    play.run(.stall(.seconds(20)))
    play.client(raw: beats(1))
    #expect(play.verdict() == .inconclusive)
  }

  @Test func aShortConnectionExercisesNothing() {
    var play = Play(HeartbeatIsSent.self, speaking: .phoenix)
    play.connect(1)
    play.after(20)
    play.drop(1)
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - WS-C16

  @Test func closingWhenNobodyAnswersPasses() {
    var play = Play(UnansweredHeartbeatCloses.self, speaking: .phoenix)
    play.connect(1)
    play.client(raw: beats(1))
    play.server(raw: replies("phoenix", 1))
    play.after(25)
    play.client(raw: beats(2))
    play.serverInVain(raw: replies("phoenix", 2))
    play.after(25)
    play.closeCleanly()
    #expect(play.finding().opportunities == 1)
    #expect(play.verdict() == .pass)
  }

  @Test func stayingOnFailsThoughOtherMessagesCome() {
    var play = Play(UnansweredHeartbeatCloses.self, speaking: .phoenix)
    play.connect(1)
    play.client(raw: beats(1))
    for ref in 2...4 {
      play.after(25)
      play.client(raw: beats(ref))
      play.server(raw: ends("room:1"))
    }
    #expect(play.finding().violations == 1)
  }

  @Test func aConnectionThatOthersEndIsInconclusive() {
    var play = Play(UnansweredHeartbeatCloses.self, speaking: .phoenix)
    play.connect(1)
    play.client(raw: beats(1))
    play.after(10)
    play.drop(1)
    #expect(play.verdict() == .inconclusive)
  }

  @Test func answeredHeartbeatsExerciseNothing() {
    var play = Play(UnansweredHeartbeatCloses.self, speaking: .phoenix)
    play.connect(1)
    play.client(raw: beats(1))
    play.server(raw: replies("phoenix", 1))
    play.after(100)
    play.closeCleanly()
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - WS-C17

  /// Two channels are joined when the connection drops; these are joined on the next, which lives for a while.
  private func returning(joining topics: [String], living seconds: Double = 10) -> ClauseFinding {
    var play = Play(JoinsAgain.self, speaking: .phoenix)
    play.connect(1)
    join("room:1", 1, &play)
    join("room:2", 2, &play)
    play.drop(1)
    play.after(1)
    play.connect(2)
    for (ref, topic) in topics.enumerated() { join(topic, ref + 3, on: 2, &play) }
    play.after(seconds)
    play.drop(2)
    return play.finding()
  }

  @Test func joiningAllAgainPasses() {
    let finding = returning(joining: ["room:2", "room:1"])
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 2)
  }

  @Test func joiningNoneAgainFails() {
    let finding = returning(joining: [])
    #expect(finding.verdict == .fail)
    #expect(finding.worst?.text.hasPrefix("none of the 2 channels") == true)
  }

  @Test func joiningAPartAgainDoesNotDecideTheRest() {
    let finding = returning(joining: ["room:1"])
    #expect(finding.violations == 0)
    #expect(finding.undecided == 1)
  }

  @Test func aConnectionTooShortForJoinsIsInconclusive() {
    #expect(returning(joining: [], living: 1).verdict == .inconclusive)
  }

  // MARK: - WS-C18

  private func pauses(_ pauses: [Double], schedule: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)])
    -> ClauseFinding
  {
    var options = JudgeOptions()
    options.schedule = schedule
    var play = Play(PausesFollowSchedule.self, speaking: .phoenix, options: options)
    play.connect(1)
    play.after(10)
    play.drop(1)
    for (index, pause) in pauses.enumerated() {
      play.after(pause)
      play.failedAttempt(2 + UInt64(index))
    }
    return play.finding()
  }

  @Test func pausesWithinTheBandPass() { #expect(pauses([0.3, 1.4, 2.9, 1.1]).verdict == .pass) }
  @Test func aPauseOutsideTheBandFails() { #expect(pauses([0.3, 1.4, 4.0, 1.1]).violations == 1) }
  @Test func withoutAScheduleNothingIsExercised() { #expect(pauses([1, 1], schedule: []).verdict == .notExercised) }

  @Test func aPauseAcrossAStallIsInconclusive() {
    var options = JudgeOptions()
    options.schedule = [.seconds(1)]
    var play = Play(PausesFollowSchedule.self, speaking: .phoenix, options: options)
    play.connect(1)
    play.drop(1)
    play.after(3)
    play.run(.stall(.seconds(2)))
    play.attempt(2)
    #expect(play.verdict() == .inconclusive)
  }
}
