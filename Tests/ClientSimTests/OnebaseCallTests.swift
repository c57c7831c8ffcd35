import Core
import Metrics
import Protocols
import Testing

@testable import ClientSim

/// What the protocol document says of subscriptions, calls and transitions.
struct OnebaseCallTests {
  typealias Client = Driven<OnebaseSession>
  let plan = FleetPlan(
    name: "f", subscriptions: [Make.subscription()], reconnect: ReconnectPolicy(.fixed(.seconds(1)), jitter: .none))

  @Test func aTransitionIsAppliedInOneStep() {
    var client = Client(plan)
    client.becomeReady()
    client.receive(#"{"type":"update","id":1,"ok":true,"value":{"notes":[]}}"#)
    let request = Make.request(1, at: .seconds(1))
    client.give(.command(.call(request)), after: .milliseconds(1500))
    let value = Make.value([request.marker].compactMap { $0 })
    client.receive(
      #"{"type":"transition","updates":[{"type":"update","id":1,"ok":true,"value":\#(value)}],"#
        + #""results":[{"type":"result","requestId":1,"ok":true,"value":"m1"}]}"#, after: .milliseconds(20))
    #expect(client.intents.contains(.transitionApplied(updates: 1, results: 1, atOnce: true)))
    #expect(client.intents.contains(.callAnswered(path: "notes:add", marker: request.marker, ok: true)))
    // From the intended send, 500 ms before the actual one.
    #expect(client.measured.contains(.took(.transition, .milliseconds(520), intended: .seconds(1))))
    #expect(
      client.measured.contains(
        .callAnswered(intended: .seconds(1), sent: .milliseconds(1500), ok: true, deadline: .seconds(10))))
    #expect(client.session.shownValues[0].value?.bytes == Array(value.utf8))
    #expect(client.session.condition.unanswered == 0)
  }

  @Test func aLostCallIsReportedAndNeverSentAgain() {
    var client = Client(plan)
    client.becomeReady()
    let request = Make.request(1)
    client.give(.command(.call(request)))
    client.give(.closed(.reset), after: .seconds(2))
    #expect(client.intents.contains(.callLost(path: "notes:add", marker: request.marker)))
    #expect(client.measured.contains(.callLost(intended: .zero, sent: .zero)))
    #expect(client.measured.contains(.atLeast(.transition, .seconds(2), intended: .zero)))
    client.reopen()
    client.authenticate()
    #expect(client.allSent.count { $0.contains(#""type":"call""#) } == 1)
  }

  @Test func anErrorUpdateKeepsTheSubscription() {
    var client = Client(plan)
    client.becomeReady()
    client.receive(#"{"type":"update","id":1,"ok":false,"error":"missing","data":{"a":1}}"#)
    #expect(client.sent.isEmpty && client.notes == ["subscription failed: missing"])
    client.receive(#"{"type":"update","id":1,"ok":true,"value":[1]}"#)
    #expect(client.session.shownValues[0].value?.bytes == Array("[1]".utf8))
  }

  @Test func anErrorAnswerIsAnAnswer() {
    var client = Client(plan)
    client.becomeReady()
    client.give(.command(.call(Make.request(1, .query))))
    client.receive(#"{"type":"result","requestId":1,"ok":false,"error":"Server Error"}"#)
    #expect(
      client.measured == [.callAnswered(intended: .zero, sent: .zero, ok: false, deadline: .seconds(10))])
    #expect(client.notes == ["call failed: Server Error"])
  }

  @Test func answersMayComeInAnyOrderAndOnlyOnce() {
    var client = Client(plan)
    client.becomeReady()
    for sequence in 1...3 { client.give(.command(.call(Make.request(UInt32(sequence), .action)))) }
    for number in [2, 3, 1] {
      client.receive(#"{"type":"result","requestId":\#(number),"ok":true}"#)
      #expect(client.measured.count { $0.isAnswered } == 1)
    }
    client.receive(#"{"type":"result","requestId":2,"ok":true}"#)
    #expect(client.notes == ["result of an unknown call"])
  }

  @Test func subscribeIsMeasuredUntilTheFirstUpdateOfEachConnection() {
    var client = Client(plan)
    client.becomeReady()
    client.receive(#"{"type":"update","id":1,"ok":true,"value":1}"#, after: .milliseconds(8))
    #expect(client.measured.contains(.took(.subscribe, .milliseconds(8), intended: .zero)))
    client.receive(#"{"type":"update","id":1,"ok":true,"value":2}"#)
    #expect(client.measured.isEmpty)
    client.give(.closed(.reset))
    client.reopen()
    client.give(.closed(.reset), after: .seconds(3))
    #expect(client.measured.contains { if case .atLeast(.subscribe, .seconds(3), _) = $0 { true } else { false } })
    #expect(client.measured.contains { if case .atLeast(.auth, .seconds(3), _) = $0 { true } else { false } })
  }

  @Test func subscriptionsCanBeAddedAndGivenUp() {
    var client = Client(plan)
    client.becomeReady()
    let key = SubscriptionKey(path: "me:get", arguments: "{}")
    client.give(.command(.subscribe(key)))
    #expect(client.sent == [#"{"type":"sub","id":2,"path":"me:get","args":{}}"#])
    client.give(.command(.unsubscribe(key)))
    #expect(client.sent == [#"{"type":"unsub","id":2}"#])
    client.give(.closed(.reset))
    client.reopen()
    #expect(client.sentTypes == ["auth", "sub"])
  }

  @Test func newMarkersOfOthersAreShownOnce() {
    var client = Client(plan, client: 5)
    client.becomeReady()
    let old = Marker(run: 7, client: ClientID(1), sequence: 1, sent: .zero)
    client.receive(#"{"type":"update","id":1,"ok":true,"value":\#(Make.value([old]))}"#)
    // What the first value shows was sent before there was a subscriber.
    #expect(client.measured.allSatisfy { if case .shown = $0 { false } else { true } })
    let news = Marker(run: 7, client: ClientID(2), sequence: 9, sent: .milliseconds(3))
    let own = Marker(run: 7, client: ClientID(5), sequence: 1, sent: .zero)
    let foreign = Marker(run: 8, client: ClientID(2), sequence: 10, sent: .zero)
    let value = Make.value([old, news, own, foreign])
    client.receive(#"{"type":"update","id":1,"ok":true,"value":\#(value)}"#)
    #expect(client.measured == [.shown(0, key: client.session.shownValues[0].key, news)])
    client.receive(#"{"type":"update","id":1,"ok":true,"value":\#(value)}"#)
    #expect(client.measured.isEmpty)
  }

  @Test func theStopCountsWhatIsStillOut() {
    var client = Client(plan)
    client.becomeReady()
    client.give(.command(.call(Make.request(1))))
    client.give(.command(.call(Make.request(2))))
    client.receive(#"{"type":"result","requestId":1,"ok":true}"#)
    client.give(.command(.stop), after: .seconds(4))
    #expect(client.measured.contains(.callOut(intended: .zero, sent: .zero)))
    #expect(client.measured.contains(.atLeast(.subscribe, .seconds(4), intended: .zero)))
    let intended = client.allMeasured.count { if case .callIntended = $0 { true } else { false } }
    #expect(intended == client.allMeasured.count { $0.isAnswered || $0.isLost || $0.isOut })
  }

  @Test func anAuditIsAQueryOutsideTheMetrics() {
    var client = Client(plan)
    client.becomeReady()
    client.give(.command(.audit(AuditQuery(id: 3, path: "notes:scan", arguments: Array(#"{"room":"a"}"#.utf8)))))
    #expect(
      client.sent == [#"{"type":"call","requestId":1,"kind":"query","path":"notes:scan","args":{"room":"a"}}"#])
    #expect(client.measured.isEmpty)
    client.receive(#"{"type":"result","requestId":1,"ok":true,"value":[1]}"#)
    guard case .audited(3, let value) = client.actions.first else { return #expect(Bool(false), "no answer") }
    #expect(value == Array("[1]".utf8) && client.actions.count == 1)
  }

  @Test func misbehaviourIsDoneOnPurpose() {
    func client(_ behaviour: Behaviour) -> Client {
      var client = Client(
        FleetPlan(
          name: "f", subscriptions: [Make.subscription()], reconnect: .onebase, behave: [behaviour]))
      client.becomeReady()
      return client
    }
    var resends = client(.resendLostCalls)
    resends.give(.command(.call(Make.request(1))))
    resends.give(.closed(.reset))
    #expect(!resends.intents.contains { if case .callLost = $0 { true } else { false } })
    resends.reopen()
    resends.authenticate()
    #expect(resends.sent.count { $0.contains("~1~0~") } == 1)

    let early = client(.subsBeforeAuth)
    #expect(early.allSent.map(typeOf).prefix(2) == ["sub", "auth"])

    var forgetful = client(.noResubscribe)
    forgetful.give(.closed(.reset))
    forgetful.reopen()
    #expect(forgetful.sentTypes == ["auth"])

    let silent = client(.noHeartbeat)
    #expect(silent.armed(.ping) == nil)

    var fixed = client(.fixedBackoff)
    fixed.give(.closed(.reset))
    for _ in 0..<6 {
      #expect(fixed.reconnectAt == fixed.now + .milliseconds(500))
      fixed.give(.timer(.reconnect), after: .milliseconds(500))
      fixed.give(.connectFailed(.network("refused")))
    }
  }
}
