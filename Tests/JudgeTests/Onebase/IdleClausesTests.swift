import Core
import Protocols
import Testing

@testable import Judge

struct IdleClausesTests {
  // MARK: - OB-S2

  private func idle(for silence: Double, by: Ending.By) -> Verdict {
    var play = Play(IdleConnectionIsClosed.self)
    play.join(1)
    play.after(silence)
    play.drop(1, by: by, how: .fin)
    return play.verdict()
  }

  @Test func anIdleConnectionIsClosedAfterTwoMinutes() {
    #expect(idle(for: 120, by: .server) == .pass)
    #expect(idle(for: 115, by: .server) == .pass)
    #expect(idle(for: 125, by: .server) == .pass)
    #expect(idle(for: 127, by: .server) == .fail)
    #expect(idle(for: 127, by: .client) == .fail)
    #expect(idle(for: 100, by: .client) == .notExercised)
  }

  @Test func anIdleConnectionThatLivesOnFails() {
    var play = Play(IdleConnectionIsClosed.self)
    play.join(1)
    play.after(130)
    play.ping()
    #expect(play.verdict() == .fail)
  }

  @Test func theCloseFrameCountsAsTheClose() {
    var play = Play(IdleConnectionIsClosed.self)
    play.join(1)
    play.after(120)
    play.closeFrame(.down)
    play.after(20)
    play.drop(1, by: .client)
    #expect(play.verdict() == .pass)
  }

  @Test func aConnectionThatPingsIsKept() {
    var play = Play(IdleConnectionIsClosed.self)
    play.join(1)
    for _ in 0..<5 {
      play.after(60)
      play.ping()
    }
    #expect(play.verdict() == .pass)
  }

  @Test func oneEarlyCloseMayHaveAnyReasonTwoAlikeShowATimer() {
    var play = Play(IdleConnectionIsClosed.self)
    play.join(1)
    play.after(60)
    play.drop(1, by: .server)
    #expect(play.judge.findings[0].verdict == .inconclusive)
    play.join(2)
    play.after(60)
    play.drop(2, by: .server)
    #expect(play.verdict() == .fail)
  }

  // MARK: - OB-S14

  private func refused(_ headers: [HeaderField], status: Int = 429) -> Verdict {
    var play = Play(RateLimitNamesItsEnd.self)
    play.http(HTTPExchange(method: "POST", target: "/api", status: status, responseHeaders: headers))
    return play.verdict()
  }

  @Test func a429SaysForHowLong() {
    #expect(refused([HeaderField("retry-after", "120")]) == .pass)
    #expect(refused([HeaderField("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT")]) == .pass)
    #expect(refused([HeaderField("Retry-After", "soon")]) == .fail)
    #expect(refused([HeaderField("Retry-After", "")]) == .fail)
    #expect(refused([HeaderField("Retry-After", "-1")]) == .fail)
    #expect(refused([HeaderField("Retry-After", "1.5")]) == .fail)
    #expect(refused([]) == .fail)
    #expect(refused([], status: 503) == .notExercised)
  }

  @Test func aRefusedUpgradeIsJudgedAsTheServerSentIt() {
    var play = Play(RateLimitNamesItsEnd.self)
    play.attempt(1)
    play.emit(1, .client, .down, .upgradeResponse(UpgradeResponse(status: 429, headers: [])), .injected)
    #expect(play.judge.findings[0].verdict == .notExercised)
    play.emit(1, .upstream, .down, .upgradeResponse(UpgradeResponse(status: 429, headers: [])))
    #expect(play.verdict() == .fail)
  }
}
