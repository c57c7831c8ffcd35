import Core
import Metrics
import Protocols
import Testing

@testable import ClientSim

/// Tokens, users, and the offline convention: query cache and mutation outbox.
struct OnebaseOfflineTests {
  typealias Client = Driven<OnebaseSession>
  let plan = FleetPlan(
    name: "f", subscriptions: [Make.subscription()], reconnect: ReconnectPolicy(.fixed(.seconds(1)), jitter: .none))
  let refused = #"{"type":"auth","ok":false,"error":"busy"}"#
  let ended = #"{"type":"auth","ok":false,"error":"signed out","ended":true}"#
  let update = #"{"type":"update","id":1,"ok":true,"value":[1]}"#
  let cachedShown = Intent.shown(path: "notes:list", arguments: #"{"room":"a"}"#, fromCache: true, owner: "ann")

  @Test func anEndedTokenIsForgotten() {
    var client = Client(plan, token: "t")
    client.give(.start)
    client.give(.command(.call(Make.request(1))))
    client.give(.opened)
    client.receive(ended)
    // Signed out: what was made under that token is lost, and what is made now is sent.
    #expect(client.intents.contains(.user(subject: nil)))
    #expect(client.measured.contains { $0.isLost } && client.sent.isEmpty)
    client.give(.command(.call(Make.request(2))))
    #expect(client.sentTypes == ["call"])
    client.give(.closed(.reset))
    client.reopen()
    #expect(client.sent.first == #"{"type":"auth","token":null}"#)
  }

  @Test func anyOtherAuthFailureKeepsTheTokenForTheNextConnection() {
    var client = Client(plan, token: "t")
    client.give(.start)
    client.give(.command(.call(Make.request(1))))
    client.give(.opened)
    client.receive(refused)
    #expect(client.sent.isEmpty && client.notes == ["auth failed"])
    client.give(.closed(.reset))
    client.reopen()
    #expect(client.sent.first == #"{"type":"auth","token":"t"}"#)
    client.authenticate(subject: "ann")
    #expect(client.sentTypes == ["call"])
  }

  @Test func queuedMutationsOutliveARestartInOrder() {
    var client = Client(plan)
    client.becomeReady()
    client.give(.command(.call(Make.request(1))))
    client.give(.closed(.reset))
    #expect(client.measured.count { $0.isLost } == 1)
    for sequence in [2, 3, 4] {
      let kind: OnebaseCallKind = sequence == 3 ? .query : .mutation
      client.give(.command(.call(Make.request(UInt32(sequence), kind))))
    }
    client.give(.command(.restart), after: .milliseconds(300))
    // The query waited in memory only.
    #expect(client.measured.count { $0.isLost } == 1 && client.intents.first == .restarted)
    #expect(client.dials == 1)
    client.give(.opened)
    client.authenticate()
    #expect(client.sent.count == 2)
    #expect(client.sent[0].contains(#""requestId":1"#) && client.sent[0].contains("~2~0~"))
    #expect(client.sent[1].contains("~4~0~"))
    client.receive(#"{"type":"result","requestId":1,"ok":true}"#)
    client.receive(#"{"type":"result","requestId":2,"ok":true}"#)
    client.give(.command(.restart))
    client.give(.opened)
    client.authenticate()
    // Answered entries are gone.
    #expect(client.sent.isEmpty)
  }

  @Test func aRestartLosesWhatIsInFlight() {
    var client = Client(plan)
    client.becomeReady()
    client.give(.command(.call(Make.request(1))))
    client.give(.command(.restart))
    #expect(client.aborts == 1 && client.dials == 1)
    #expect(client.intents.contains(.callLost(path: "notes:add", marker: Make.request(1).marker)))
    client.give(.opened)
    client.authenticate()
    #expect(client.sent.isEmpty)
  }

  @Test func aCachedResultIsHeldBackUntilTheSameUserIsConfirmed() {
    var client = Client(plan, token: "t")
    client.becomeReady(subject: "ann")
    client.receive(update)
    client.give(.command(.restart))
    #expect(!client.intents.contains(cachedShown))
    client.give(.opened)
    #expect(!client.intents.contains(cachedShown))
    client.authenticate(subject: "ann")
    #expect(client.intents.contains(cachedShown))
    client.receive(update)
    #expect(
      client.intents.contains(
        .shown(path: "notes:list", arguments: #"{"room":"a"}"#, fromCache: false, owner: "ann")))
  }

  @Test func theCacheIsClearedWhenTheUserChanges() {
    var client = Client(plan, token: "t")
    client.becomeReady(subject: "ann")
    client.receive(update)
    client.give(.command(.restart))
    client.give(.opened)
    client.authenticate(subject: "bob")
    #expect(client.intents.contains(.cacheCleared))
    #expect(!client.allIntents.contains { if case .shown(_, _, true, _) = $0 { true } else { false } })
  }

  @Test func withoutAuthACachedResultIsShownAtOnce() {
    var client = Client(plan)
    client.becomeReady()
    client.receive(update)
    client.give(.command(.restart))
    #expect(
      client.intents.contains(.shown(path: "notes:list", arguments: #"{"room":"a"}"#, fromCache: true, owner: nil)))
  }

  @Test func theCacheKeepsTheNewest() {
    var cache = QueryCache(limit: 2)
    func key(_ number: Int) -> SubscriptionKey { SubscriptionKey(path: "q", arguments: "\(number)") }
    for number in [1, 2, 1, 3] { cache.keep(SharedValue([UInt8(number)]), of: key(number), owner: nil) }
    #expect(cache.value(of: key(2)) == nil)
    #expect(cache.value(of: key(1))?.bytes == [1] && cache.value(of: key(3))?.bytes == [3])
  }

  @Test func queuedMutationsBelongToTheirUser() {
    var client = Client(plan, token: "t")
    client.becomeReady(subject: "ann")
    client.give(.closed(.reset))
    client.give(.command(.call(Make.request(1))))
    client.reopen()
    client.receive(refused)
    // Connected, but as nobody in particular.
    #expect(client.sent.isEmpty && client.session.condition.unanswered == 0)
    client.give(.closed(.reset))
    client.reopen()
    client.authenticate(subject: "bob")
    #expect(client.sent.isEmpty && client.measured.contains { $0.isLost })
  }

  @Test func anotherUserSignsInOverANewConnection() {
    var client = Client(plan, token: "t")
    client.becomeReady(subject: "ann")
    client.receive(update)
    client.give(.command(.signIn(token: "u")))
    #expect(client.intents.contains(.cacheCleared) && client.dials == 1)
    client.give(.opened)
    #expect(client.sent.first == #"{"type":"auth","token":"u"}"#)
  }

  @Test func withoutAnOutboxCallsMadeOfflineAreLostAtOnce() {
    var client = Client(FleetPlan(name: "f", outboxLimit: 0))
    client.give(.start)
    client.give(.command(.call(Make.request(1))))
    #expect(client.measured == [.callIntended(.zero), .callLost(intended: .zero, sent: nil)])
    #expect(client.notes == ["call while offline"])
  }
}
