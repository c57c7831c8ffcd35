import Core
import Protocols
import Testing

@testable import Judge

/// WS-C3, WS-C10 and WS-C11.
struct SocketClausesTests {
  // MARK: - WS-C3

  @Test func oneConnectionAfterAnotherPasses() {
    var play = Play(NeverTwoSockets.self, speaking: .websocket)
    play.connect(1)
    play.drop(1)
    play.connect(2)
    play.closeFrame(.up, on: 2)
    play.connect(3)
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 3)
  }

  @Test func twoAtOnceFail() {
    var play = Play(NeverTwoSockets.self, speaking: .websocket)
    play.connect(1)
    play.after(5)
    play.connect(2)
    play.after(2)
    play.drop(1, by: .client)
    let finding = play.finding()
    #expect(finding.violations == 1)
    #expect(finding.worst?.text.contains("still live for 2.00 s") == true)
  }

  @Test func twoAtOnceUntilTheEndFail() {
    var play = Play(NeverTwoSockets.self, speaking: .websocket)
    play.connect(1)
    play.connect(2)
    play.after(2)
    #expect(play.verdict() == .fail)
  }

  @Test func connectionsThatCrossPass() {
    var play = Play(NeverTwoSockets.self, speaking: .websocket)
    play.connect(1)
    play.connect(2)
    play.after(0.1)
    play.drop(1, by: .client)
    play.after(10)
    #expect(play.finding().violations == 0)
  }

  @Test func aStallBlursAnOverlap() {
    var play = Play(NeverTwoSockets.self, speaking: .websocket)
    play.connect(1)
    play.connect(2)
    play.after(2)
    play.run(.stall(.seconds(2)))
    play.drop(1, by: .client)
    #expect(play.finding().undecided == 1)
  }

  @Test func refusedUpgradesAreNoSockets() {
    var play = Play(NeverTwoSockets.self, speaking: .websocket)
    play.refusedAttempt(1, 503)
    play.attempt(2)
    #expect(play.verdict() == .notExercised)
  }

  // MARK: - WS-C10

  @Test func aSilenceThatIsNoticedPasses() {
    var play = Play(SilenceIsNoticed.self, speaking: .websocket)
    play.connect(1)
    play.ping()
    play.pong()
    play.after(25)
    play.ping()
    play.pongInVain()
    play.after(25)
    play.drop(1, by: .client)
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.reason == "noticed after 25.0 s")
  }

  @Test func aSilenceThatIsNotNoticedFails() {
    var play = Play(SilenceIsNoticed.self, speaking: .websocket)
    play.connect(1)
    play.serverInVain(raw: "news")
    play.after(80)
    #expect(play.verdict() == .fail)
  }

  @Test func aSilenceThatEndsTooLateFails() {
    var play = Play(SilenceIsNoticed.self, speaking: .websocket)
    play.connect(1)
    play.serverInVain(raw: "news")
    play.after(80)
    play.server(raw: "more")
    play.drop(1)
    #expect(play.finding().violations == 1)
  }

  @Test func aServerThatHasNothingToSayIsNotSilent() {
    var play = Play(SilenceIsNoticed.self, speaking: .websocket)
    play.connect(1)
    play.client(raw: "hello")
    play.after(300)
    #expect(play.verdict() == .notExercised)
  }

  @Test func aSilenceThatOthersEndIsInconclusive() {
    var play = Play(SilenceIsNoticed.self, speaking: .websocket)
    play.connect(1)
    play.serverInVain(raw: "news")
    play.after(30)
    play.drop(1)
    #expect(play.verdict() == .inconclusive)
  }

  // MARK: - WS-C11

  @Test func validFramesPass() {
    var play = Play(FramingIsValid.self, speaking: .websocket)
    play.connect(1)
    play.client(raw: "hello")
    play.drop(1)
    #expect(play.verdict() == .pass)
  }

  @Test func brokenFramesFailOncePerConnection() {
    var play = Play(FramingIsValid.self, speaking: .websocket)
    play.connect(1)
    play.client(raw: "hello")
    play.emit(1, .client, .up, .violation(reason: "a frame is not masked"))
    play.emit(1, .client, .up, .violation(reason: "again"))
    play.drop(1)
    let finding = play.finding()
    #expect(finding.violations == 1)
    #expect(finding.worst?.text == "the client's bytes are no WebSocket: a frame is not masked")
  }

  @Test func theServersMistakesAndSilentClientsExerciseNothing() {
    var play = Play(FramingIsValid.self, speaking: .websocket)
    play.attempt(1)
    play.emit(1, .client, .down, .violation(reason: "x"))
    play.drop(1)
    #expect(play.verdict() == .notExercised)
  }
}
