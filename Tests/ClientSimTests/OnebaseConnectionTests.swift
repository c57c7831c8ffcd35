import Core
import Metrics
import Testing

@testable import ClientSim

/// What the protocol document says of connections: auth first, pings, reconnects, the order on each.
struct OnebaseConnectionTests {
  typealias Client = Driven<OnebaseSession>
  let two = FleetPlan(
    name: "f", subscriptions: [Make.subscription(), Make.subscription("counter:get", "{}")],
    reconnect: ReconnectPolicy(.exponential(base: .seconds(1), factor: 2, cap: .seconds(8)), jitter: .none))

  @Test func authComesBeforeAnythingElse() {
    var client = Client(two, token: "secret")
    client.give(.start)
    #expect(client.dials == 1 && client.sent.isEmpty)
    client.give(.opened)
    #expect(
      client.sent == [
        #"{"type":"auth","token":"secret"}"#, #"{"type":"sub","id":1,"path":"notes:list","args":{"room":"a"}}"#,
        #"{"type":"sub","id":2,"path":"counter:get","args":{}}"#,
      ])
  }

  @Test func anAnonymousClientSendsNull() {
    var client = Client(two)
    client.give(.start)
    client.give(.opened)
    #expect(client.sent.first == #"{"type":"auth","token":null}"#)
  }

  @Test func everyReconnectSendsAuthThenSubscriptionsThenQueuedCalls() {
    var client = Client(two)
    client.becomeReady()
    client.give(.closed(.reset))
    client.give(.command(.call(Make.request(1))))
    client.give(.command(.call(Make.request(2))))
    #expect(client.sent.isEmpty)
    client.reopen()
    #expect(client.sentTypes == ["auth", "sub", "sub"])
    client.authenticate()
    #expect(client.sentTypes == ["call", "call"])
    #expect(client.sent[0].contains("~1~0~") && client.sent[1].contains("~2~0~"))
  }

  @Test func callsMadeBeforeAuthIsAnsweredFollowIt() {
    var client = Client(two)
    client.give(.start)
    client.give(.opened)
    client.give(.command(.call(Make.request(1))))
    #expect(client.sent.isEmpty)
    client.authenticate()
    #expect(client.sentTypes == ["call"])
  }

  @Test func pausesGrowUntilAuthIsAnsweredAndStartOverThen() {
    var client = Client(two)
    client.becomeReady()
    client.give(.closed(.ended))
    #expect(client.reconnectAt == client.now + .seconds(1))
    client.give(.timer(.reconnect), after: .seconds(1))
    client.give(.connectFailed(.network("refused")))
    #expect(client.reconnectAt == client.now + .seconds(2))
    client.give(.timer(.reconnect), after: .seconds(2))
    client.give(.opened)
    // Open, but not authenticated: that does not start the schedule over.
    client.give(.closed(.reset))
    #expect(client.reconnectAt == client.now + .seconds(4))
    client.reopen()
    client.authenticate()
    client.give(.closed(.closeFrame(code: 1001)))
    #expect(client.reconnectAt == client.now + .seconds(1))
  }

  @Test func scheduledAndObservedPausesAreMeasuredPerAttempt() {
    var client = Client(two)
    client.becomeReady()
    client.give(.closed(.reset), after: .seconds(5))
    #expect(client.measured.contains(.backoffScheduled(attempt: 1, .seconds(1), from: .seconds(5))))
    client.give(.timer(.reconnect), after: .milliseconds(1003))
    #expect(client.measured.contains(.backoffObserved(attempt: 1, .milliseconds(1003), from: .seconds(5))))
    #expect(client.measured.contains(.attemptAfterDrop(number: 1, drop: .seconds(5))))
    client.give(.connectFailed(.timedOut), after: .seconds(10))
    client.give(.timer(.reconnect), after: .seconds(2))
    // The connect time-out is no part of the pause.
    #expect(client.measured.contains(.backoffObserved(attempt: 2, .seconds(2), from: .milliseconds(16_003))))
    client.give(.opened, after: .milliseconds(20))
    #expect(client.measured.contains(.reconnected(attempts: 2, drop: .seconds(5))))
  }

  @Test func aRetryAfterIsHonoured() {
    var client = Client(two)
    client.give(.start)
    client.give(.connectFailed(.refused(status: 503, retryAfter: .seconds(7))))
    #expect(client.reconnectAt == .seconds(7))
    #expect(client.notes == ["upgrade refused: 503"])
    client.give(.timer(.reconnect), after: .seconds(7))
    client.give(.connectFailed(.refused(status: 503, retryAfter: .milliseconds(1))))
    #expect(client.reconnectAt == client.now + .seconds(2))
    client.give(.timer(.reconnect), after: .seconds(2))
    client.give(.connectFailed(.refused(status: 429, retryAfter: .seconds(1_000_000_000))))
    #expect(client.reconnectAt == client.now + Backoff.longestRetryAfter)
  }

  @Test func offlineLastsFromTheFirstDropUntilAllIsLiveAgain() {
    var client = Client(two)
    client.becomeReady()
    client.receive(#"{"type":"update","id":1,"ok":true,"value":1}"#)
    client.receive(#"{"type":"update","id":2,"ok":true,"value":1}"#)
    #expect(client.measured.contains(.live))
    client.give(.closed(.reset), after: .seconds(10))
    #expect(client.measured.contains(.notLive) && client.measured.contains(.dropped))
    client.reopen()
    client.give(.closed(.reset))
    client.reopen()
    client.authenticate()
    client.receive(#"{"type":"update","id":1,"ok":true,"value":1}"#)
    #expect(!client.session.condition.isLive)
    client.receive(#"{"type":"update","id":2,"ok":false,"error":"no such function"}"#, after: .milliseconds(5))
    // 1 s and 2 s of pauses.
    #expect(client.measured.contains(.took(.offline, .milliseconds(3005), intended: .seconds(10))))
    #expect(client.session.condition.isLive)
  }

  @Test func aClientBegunOfflineHasNotReopenedWhenItFirstOpens() {
    var client = Client(FleetPlan(name: "f", startsOffline: true))
    client.give(.start)
    #expect(client.dials == 0 && client.session.condition.isLive)
    client.give(.command(.call(Make.request(1))))
    client.give(.command(.goOnline), after: .seconds(3))
    #expect(client.dials == 1)
    client.give(.opened)
    client.authenticate()
    #expect(client.sentTypes == ["call"])
    let reconnects = client.allMeasured.filter { if case .reconnected = $0 { true } else { false } }
    #expect(reconnects.isEmpty)
  }

  @Test func pingsCarryTheirTimeAndAreAtLeastTwiceAMinute() {
    var client = Client(two)
    client.becomeReady()
    #expect(client.armed(.ping) == .seconds(30))
    client.give(.timer(.ping), after: .seconds(30))
    #expect(client.armed(.ping) == .seconds(60))
    let payload = client.actions.compactMap { if case .ping(let bytes) = $0 { bytes } else { nil } }
    #expect(payload.count == 1)
    client.give(.pong([1, 2, 3]))
    #expect(client.measured.isEmpty)
    client.give(.pong(payload[0]), after: .milliseconds(12))
    #expect(client.measured == [.took(.heartbeat, .milliseconds(12), intended: .seconds(30))])
  }

  @Test func anUnansweredPingIsNoticedWhenTheNextIsDue() {
    var client = Client(two)
    client.becomeReady()
    client.give(.timer(.ping), after: .seconds(30))
    client.give(.timer(.ping), after: .seconds(30))
    #expect(client.aborts == 1)
    #expect(client.intents.prefix(2) == [.noticed, .closing(reason: "ping not answered")])
    #expect(client.measured.contains(.took(.detection, .seconds(30), intended: .seconds(30))))
    #expect(client.measured.contains(.atLeast(.heartbeat, .seconds(30), intended: .seconds(30))))
    #expect(client.reconnectAt == client.now + .seconds(1))
    #expect(client.armed(.ping) == nil)
  }

  @Test func anUnansweredPingCanBeIgnored() {
    var client = Client(FleetPlan(name: "f", ping: .seconds(20), deadPing: .ignore))
    client.becomeReady()
    client.give(.timer(.ping), after: .seconds(20))
    client.give(.timer(.ping), after: .seconds(20))
    #expect(client.aborts == 0)
    #expect(client.measured == [.atLeast(.heartbeat, .seconds(20), intended: .seconds(20))])
  }

  @Test func whatIsNoOnebaseMessageEndsTheConnection() {
    for text in ["hello", "[1]", "{", #"{"type":"update"}"#] {
      var client = Client(two)
      client.becomeReady()
      client.receive(text)
      #expect(client.notes == ["not a onebase message"], "\(text)")
      #expect(client.aborts == 1 && client.reconnectAt == .seconds(1))
    }
    var client = Client(two)
    client.becomeReady()
    client.receive(#"{"type":"news","text":"of a later version"}"#)
    #expect(client.aborts == 0)
  }

  @Test func brokenWebSocketIsAnErrorByName() {
    var client = Client(two)
    client.becomeReady()
    client.give(.closed(.failed("invalid UTF-8")))
    #expect(client.notes == ["invalid UTF-8"] && client.reconnectAt == .seconds(1))
  }

  @Test func nothingHappensAfterTheStop() {
    var client = Client(two)
    client.becomeReady()
    client.give(.command(.stop))
    #expect(client.actions.contains { if case .close(1000, _) = $0 { true } else { false } })
    client.give(.timer(.reconnect))
    client.give(.command(.call(Make.request(1))))
    #expect(client.actions.isEmpty)
  }
}
