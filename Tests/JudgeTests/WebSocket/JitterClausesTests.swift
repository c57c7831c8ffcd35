import Core
import Protocols
import Testing

@testable import Judge

/// WS-C6, WS-C7, WS-C12, and what they count with.
struct JitterClausesTests {
  private static let schedule = [0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30]

  /// A fleet that is dropped at once; each client's pause before each attempt is `pause(number, draw)`.
  private func fleet(
    _ clause: any Clause.Type, clients: Int = 40, seed: UInt64 = 1, attempts: Int = schedule.count,
    pause: (Int, Double) -> Double
  ) -> Judge {
    var play = Play(clause, speaking: .websocket)
    var random = SeededRandom(seed: seed, purpose: .test)
    for client in 0..<UInt32(clients) {
      let base = UInt64(client) * 100
      play.at(0)
      play.connect(base, client: client)
      play.at(100)
      play.drop(base)
      for attempt in 0..<attempts {
        play.after(pause(attempt, random.unit()))
        play.failedAttempt(base + 1 + UInt64(attempt), client: client)
      }
    }
    play.judge.finish(at: .seconds(play.now))
    return play.judge
  }

  private func jittered(_ attempt: Int, _ draw: Double) -> Double { Self.schedule[attempt] * (0.5 + draw) }

  // MARK: - WS-C6

  @Test func jitteredPausesPass() {
    let finding = fleet(PausesAreJittered.self, pause: jittered).findings[0]
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == Self.schedule.count)
    #expect(finding.reason?.contains("attempt 1: even within") == true)
  }

  @Test func pausesWithoutJitterFail() {
    let finding = fleet(PausesAreJittered.self) { attempt, _ in Self.schedule[attempt] }.findings[0]
    #expect(finding.violations == Self.schedule.count)
  }

  @Test func whatRetryAfterAsksForIsNoPauseOfTheClients() {
    var play = Play(PausesAreJittered.self, PausesGrow.self, speaking: .websocket)
    for attempt in 1...12 as ClosedRange<UInt64> {
      play.refusedAttempt(attempt, 503, HeaderField("Retry-After", "2"))
      play.after(2)
    }
    _ = play.finding()
    #expect(play.judge.findings.allSatisfy { $0.verdict == .notExercised })
  }

  @Test func oneClientIsTooFew() {
    #expect(fleet(PausesAreJittered.self, clients: 1, pause: jittered).findings[0].verdict == .inconclusive)
    #expect(fleet(PausesAreJittered.self, clients: 0, pause: jittered).findings[0].verdict == .notExercised)
  }

  // MARK: - WS-C7

  @Test func jitterAroundTheCapPasses() {
    #expect(fleet(JitterHoldsAtCap.self, pause: jittered).findings[0].verdict == .pass)
  }

  @Test func aDelayThatIsCappedAfterJitterFails() {
    let finding = fleet(JitterHoldsAtCap.self) { attempt, draw in
      min(30, 0.5 * Double(1 << attempt) * (0.5 + draw))
    }.findings[0]
    #expect(finding.verdict == .fail)
    #expect(finding.worst?.text.contains("pauses at the cap lie on the longest, 30.0 s") == true)
  }

  @Test func oneClientWithoutJitterAtTheCapFails() {
    let finding = fleet(JitterHoldsAtCap.self, clients: 1) { attempt, draw in
      attempt >= 6 ? 30 : Self.schedule[attempt] * (0.5 + draw)
    }.findings[0]
    #expect(finding.verdict == .fail)
  }

  @Test func oneClientWithJitterAtTheCapIsTooFew() {
    #expect(fleet(JitterHoldsAtCap.self, clients: 1, pause: jittered).findings[0].verdict == .inconclusive)
  }

  @Test func pausesThatStillGrowDoNotDecide() {
    #expect(fleet(JitterHoldsAtCap.self, attempts: 5, pause: jittered).findings[0].verdict == .inconclusive)
    #expect(fleet(JitterHoldsAtCap.self, attempts: 0, pause: jittered).findings[0].verdict == .notExercised)
  }

  // MARK: - WS-C12

  @Test func aHerdIsToldInWords() {
    let finding = fleet(AttemptsAreDispersed.self, clients: 100, attempts: 1) { _, draw in
      draw < 0.8 ? 1.02 : 1 + draw * 5
    }.findings[0]
    #expect(finding.verdict == .fail)
    let text = finding.worst?.text ?? ""
    #expect(text.contains("% of 100 clients came back within one 100 ms window, 1.00 s after the drop"), "\(text)")
    #expect(text.contains("index of dispersion"))
    #expect(text.contains("not even within"))
  }

  @Test func aDispersedFleetPasses() {
    let finding = fleet(AttemptsAreDispersed.self, clients: 100, attempts: 1) { _, draw in 0.5 + draw * 5 }.findings[0]
    #expect(finding.verdict == .pass)
    #expect(finding.reason?.contains("; pauses even within") == true)
  }

  @Test func fewClientsAreTooFew() {
    #expect(
      fleet(AttemptsAreDispersed.self, clients: 5, attempts: 1, pause: jittered).findings[0].verdict == .inconclusive)
    #expect(
      fleet(AttemptsAreDispersed.self, clients: 5, attempts: 0, pause: jittered).findings[0].verdict == .notExercised)
  }

  @Test(arguments: [0, 1, 2]) func partsMergeAlikeInAnyOrder(_ which: Int) {
    let clause: any Clause.Type = [PausesAreJittered.self, JitterHoldsAtCap.self, AttemptsAreDispersed.self][which]
    let parts = (1...3).map { fleet(clause, clients: 30, seed: UInt64($0), pause: jittered) }
    var left = parts[0]
    left.merge(parts[1])
    left.merge(parts[2])
    var tail = parts[1]
    tail.merge(parts[2])
    var right = parts[0]
    right.merge(tail)
    var back = tail
    back.merge(parts[0])
    #expect(left.findings == right.findings)
    #expect(left.findings == back.findings)
  }

  // MARK: - What they count with

  @Test func evenValuesAreEvenAndHeapedOnesAreNot() throws {
    let even = (0..<200).map { Double($0) / 200 }
    #expect(try #require(Uniformity(even, from: 0, to: 1)).isUniform)
    let heaped = even.map { $0 * $0 * $0 }
    let test = try #require(Uniformity(heaped, from: 0, to: 1))
    #expect(!test.isUniform)
    // The distance of x³ from x is 2 / (3 √3), and the threshold is 1.628 / √200.
    #expect(abs(test.distance - 0.385) < 0.01)
    #expect(abs(test.threshold - 0.1151) < 0.0001)
    #expect(Uniformity(Array(even.prefix(10)), from: 0, to: 1) == nil)
  }

  @Test func aSampleDependsOnNoOrder() {
    var (one, two) = (PauseSample(), PauseSample())
    let pauses = (0..<3_000).map { (ClientID(UInt32($0)), Duration.milliseconds($0), Instant.seconds(Double($0 % 7))) }
    for (client, pause, time) in pauses { one.add(pause, client: client, at: time) }
    for (client, pause, time) in pauses.reversed() { two.add(pause, client: client, at: time) }
    #expect(one.seconds == two.seconds)
    #expect(one.seconds.count == PauseSample.capacity)
    #expect(one.total == 3_000)
  }
}
