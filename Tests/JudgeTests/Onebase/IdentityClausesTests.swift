import Core
import JSON
import Protocols
import Testing

@testable import Judge

/// OB-S15, OB-S16 and OB-S17.
struct IdentityClausesTests {
  // MARK: - OB-S15

  private func exchange(_ credential: HTTPExchange.Credential, _ status: Int?) -> HTTPExchange {
    HTTPExchange(method: "POST", target: "/api/run", status: status, responseHeaders: [], credential: credential)
  }

  private func verdict(_ exchanges: HTTPExchange...) -> Verdict {
    var play = Play(BearerAuthenticates.self)
    for exchange in exchanges { play.http(exchange) }
    return play.verdict()
  }

  @Test func aGoodTokenInAndABadOneOutPass() {
    #expect(verdict(exchange(.good, 200), exchange(.bad, 401)) == .pass)
    // A function's own failure is no refusal of the token.
    #expect(verdict(exchange(.good, 400), exchange(.bad, 503)) == .pass)
  }

  @Test func aGoodTokenRefusedFails() { #expect(verdict(exchange(.good, 401), exchange(.bad, 401)) == .fail) }
  @Test func aBadTokenAcceptedFails() { #expect(verdict(exchange(.good, 200), exchange(.bad, 200)) == .fail) }

  @Test func oneKindOfTokenDoesNotDecide() {
    #expect(verdict(exchange(.good, 200)) == .inconclusive)
    #expect(verdict(exchange(.bad, 401)) == .inconclusive)
    #expect(verdict(exchange(.good, nil), exchange(.bad, 429)) == .inconclusive)
  }

  @Test func requestsWithoutTokenExerciseNothing() { #expect(verdict(exchange(.none, 200)) == .notExercised) }

  @Test func theTwoTokensMayBeTriedOnDifferentLoops() {
    var (good, bad) = (Play(BearerAuthenticates.self), Play(BearerAuthenticates.self))
    good.http(exchange(.good, 200))
    bad.http(exchange(.bad, 401))
    _ = (good.finding(), bad.finding())
    good.judge.merge(bad.judge)
    #expect(good.judge.findings[0].verdict == .pass)
  }

  // MARK: - OB-S16

  @Test func textsAreReportedAndNothingFails() {
    var play = Play(ErrorTextsSeen.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.fails(1))
    play.server(.fails(1))
    play.server(.result(OnebaseResult(requestId: 1, outcome: .failed(error: "No room \"9\"", data: nil))))
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.info.level == .report)
    #expect(finding.reason == #"seen: "No room "9"" 1 times, "Server Error" 2 times"#)
  }

  @Test func noErrorExercisesNothing() {
    var play = Play(ErrorTextsSeen.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.together([.shows(1, [])], [.answers(1)]))
    #expect(play.verdict() == .notExercised)
  }

  @Test func manyTextsMergeAlikeInAnyOrder() {
    func loop(_ texts: [Int]) -> Judge {
      var play = Play(ErrorTextsSeen.self)
      play.join(1)
      for text in texts {
        play.server(.result(OnebaseResult(requestId: 1, outcome: .failed(error: "error \(text)", data: nil))))
      }
      play.judge.finish(at: .zero)
      return play.judge
    }
    let (a, b, c) = (loop(Array(10...30)), loop(Array(15...40)), loop([12, 99, 11]))
    var left = a
    left.merge(b)
    left.merge(c)
    var right = c
    right.merge(b)
    right.merge(a)
    #expect(left.findings == right.findings)
    #expect(left.findings[0].reason?.hasPrefix(#"seen: "error 10" 1 times, "error 11" 2 times"#) == true)
  }

  // MARK: - OB-S17

  /// A connection that is answered as `subject`, and whose `me:get` shows `shown`.
  private func asks(_ play: inout Play, _ connection: UInt64, as subject: String?, shown: JSONValue) {
    play.connect(connection)
    play.client(.auth(token: "t"), on: connection)
    play.server(
      .authenticated(identity: subject.map { ["subject": .string($0), "email": "a@b"] } ?? .null), on: connection)
    play.client(.subscribe(id: 4, path: "me:get", arguments: [:]), on: connection)
    play.server(.update(OnebaseUpdate(id: 4, outcome: .ok(value: shown))), on: connection)
  }

  @Test func eachSeesItsOwnIdentity() {
    var play = Play(SubscriptionRunsUnderIdentity.self)
    asks(&play, 1, as: "m1", shown: ["email": "a@b", "subject": "m1"])
    asks(&play, 2, as: nil, shown: .null)
    #expect(play.verdict() == .pass)
  }

  @Test func anothersIdentityFails() {
    var play = Play(SubscriptionRunsUnderIdentity.self)
    asks(&play, 1, as: "m1", shown: ["subject": "m1"])
    asks(&play, 2, as: "m2", shown: ["subject": "m1"])
    #expect(play.finding().violations == 1)
  }

  @Test func oneIdentityDoesNotDecide() {
    var play = Play(SubscriptionRunsUnderIdentity.self)
    asks(&play, 1, as: "m1", shown: ["subject": "m1"])
    #expect(play.verdict() == .inconclusive)
    var nameless = Play(SubscriptionRunsUnderIdentity.self)
    asks(&nameless, 1, as: "m1", shown: ["name": "m1"])
    #expect(nameless.verdict() == .inconclusive)
  }

  @Test func otherQueriesExerciseNothing() {
    var play = Play(SubscriptionRunsUnderIdentity.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.shows(1))
    #expect(play.verdict() == .notExercised)
  }
}
