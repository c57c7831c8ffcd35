import Core
import JSON
import Protocols
import Testing

@testable import ReferenceServer

@Suite struct AuthTests {
  @Test func anonymousIsAnsweredWithNoIdentity() {
    let bench = HubBench()
    let slot = bench.hub.open()
    bench.send(slot, .auth(token: nil))
    #expect(bench.take(slot) == [.authenticated(identity: .null)])
  }

  @Test func aValidTokenIsAnsweredWithItsIdentity() {
    let bench = HubBench()
    let slot = bench.hub.open()
    bench.send(slot, .auth(token: "ok-alice"))
    #expect(
      bench.take(slot) == [.authenticated(identity: ["subject": "alice", "email": "alice@example.com"])])
  }

  @Test func theTableOfTokensWinsOverTheConvention() {
    let bench = HubBench { $0.tokens = ["ok-alice": OnebaseIdentity(subject: "m17")] }
    let slot = bench.hub.open()
    bench.send(slot, .auth(token: "ok-alice"))
    #expect(bench.take(slot) == [.authenticated(identity: ["subject": "m17"])])
  }

  @Test func aFlakyTokenFailsForAWhileAndIsNotEnded() {
    let bench = HubBench()
    for attempt in 1...3 {
      let slot = bench.hub.open()
      bench.send(slot, .auth(token: "flaky-2-bob"))
      switch bench.take(slot).first {
      case .authenticationFailed(_, let ended):
        #expect(attempt <= 2)
        #expect(!ended)
      case .authenticated(let identity):
        #expect(attempt == 3)
        #expect(identity["subject"] == "bob")
      default: Issue.record("no auth reply")
      }
    }
  }

  @Test(arguments: ["ended-session", "who-is-this", "", "flaky-x-bob", "flaky-3-", "ok-"])
  func anEndedOrUnknownTokenIsGoneForGood(token: String) {
    let bench = HubBench()
    let slot = bench.hub.open()
    bench.send(slot, .auth(token: token))
    guard case .authenticationFailed(_, let ended)? = bench.take(slot).first else {
      Issue.record("accepted")
      return
    }
    #expect(ended)
  }

  @Test func aRevokedTokenHasEnded() {
    let bench = HubBench()
    bench.hub.revoke(token: "ok-alice")
    let slot = bench.hub.open()
    bench.send(slot, .auth(token: "ok-alice"))
    #expect(bench.take(slot) == [.authenticationFailed(error: "The session has ended", ended: true)])
  }

  @Test func conventionsCanBeOff() {
    let bench = HubBench { $0.tokenConventions = false }
    let slot = bench.hub.open()
    bench.send(slot, .auth(token: "ok-alice"))
    #expect(bench.hub.statistics.authEnded == 1)
  }

  @Test func aSubscriptionRunsUnderTheIdentityInEffectWhenItStarts() {
    let bench = HubBench()
    let slot = bench.connect("ok-alice")
    bench.subscribe(slot, 1, "me:get")
    #expect(bench.takeValue(slot)?["subject"] == "alice")
    bench.send(slot, .auth(token: nil))
    _ = bench.take(slot)
    bench.subscribe(slot, 2, "me:get")
    #expect(bench.takeValue(slot) == .null)
    // Two queries: the one of alice was not started again.
    #expect(bench.hub.liveSubscriptions == 2)
  }

  @Test func aFailedAuthLeavesTheConnectionAnonymous() {
    let bench = HubBench()
    let slot = bench.connect("ok-alice")
    bench.send(slot, .auth(token: "ended-x"))
    _ = bench.take(slot)
    bench.query(slot, 1, "me:get")
    #expect(bench.takeValue(slot) == .null)
  }
}
