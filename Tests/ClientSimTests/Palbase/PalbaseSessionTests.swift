import Core
import JSON
import Metrics
import Protocols
import Testing

@testable import ClientSim

/// A palbase client, event by event, against its document.
@Suite struct PalbaseSessionTests {
  /// A session under test and what it was told and did.
  private struct World {
    var driven: Driven<PalbaseSession>

    init(
      channels: [String] = ["room:1"], behave: Set<Behaviour> = [], startsOffline: Bool = false,
      jitter: ReconnectPolicy.Jitter = .none
    ) {
      let plan = FleetPlan(
        name: "f", channels: channels.compactMap { try? Template($0) },
        reconnect: ReconnectPolicy(ReconnectPolicy.palbase.schedule, jitter: jitter),
        ping: PalbaseSession.defaultHeartbeat, behave: behave, startsOffline: startsOffline)
      driven = Driven(plan, token: "ok-a")
    }

    var session: PalbaseSession { driven.session }
    var sent: [PalbaseClientMessage] {
      driven.sent.compactMap { try? PalbaseClientMessage.decode(Array($0.utf8)) }
    }

    mutating func command(_ command: PalbaseCommand) { driven.give(.command(.palbase(command))) }

    mutating func receive(_ body: PalbaseServerMessage.Body, on topic: String = "room:1", ref: PalbaseRef? = nil) {
      let payload = PalbaseServerMessage(body, topic: topic, ref: ref).encoded()
      let facts = PalbaseClassifier().facts(isText: true, payload: payload, direction: .down)
      driven.give(.message(WireMessage(payload: payload, facts: facts)))
    }

    /// Answers the joins just sent.
    mutating func admit(reason: String? = nil) {
      for message in sent {
        guard case .join = message.body else { continue }
        receive(reason.map { .refusedReply(reason: $0) } ?? .ok(), on: message.topic, ref: message.ref)
      }
    }

    /// Starts, opens and is let in.
    mutating func start() {
      driven.give(.start)
      driven.give(.opened)
      admit()
    }

    /// Lets the pause pass.
    mutating func retry() {
      driven.now = driven.armed(.reconnect) ?? driven.now
      driven.give(.timer(.reconnect))
    }
  }

  @Test func theSocketOpensWithTheFirstJoinAndNeverBefore() {
    var world = World(channels: [])
    world.driven.give(.start)
    #expect(world.driven.dials == 0)
    #expect(world.session.status.state == .idle)
    world.command(.join("room:1"))
    #expect(world.driven.dials == 1)
    #expect(world.session.status.state == .connecting)
    world.command(.join("room:2"))
    #expect(world.driven.dials == 0)
    world.driven.give(.opened)
    #expect(world.session.status.state == .connected)
    #expect(world.sent.map(\.topic) == ["room:1", "room:2"])
    #expect(world.sent.first?.body == .join(token: "ok-a"))
    #expect(!world.session.isJoined("room:1"))
    world.admit()
    #expect(world.session.isJoined("room:1"))
  }

  @Test func aDroppedSocketComesBackAfterTheSchedulesPauses() {
    var world = World()
    world.start()
    var pauses: [Duration] = []
    world.driven.give(.closed(.reset))
    for _ in 0..<8 {
      #expect(world.session.status.state == .reconnecting)
      pauses.append((world.driven.armed(.reconnect) ?? .zero) - world.driven.now)
      world.retry()
      world.driven.give(.connectFailed(.timedOut))
    }
    #expect(pauses == [.milliseconds(500)] + [1, 2, 5, 10, 30, 30, 30].map { .seconds($0) })
    world.retry()
    world.driven.give(.opened)
    #expect(world.session.reconnects == 1)
    #expect(world.session.status.state == .connected)
    // An open socket starts the schedule over.
    world.driven.give(.closed(.ended))
    #expect((world.driven.armed(.reconnect) ?? .zero) - world.driven.now == .milliseconds(500))
  }

  @Test func pausesAreJitteredAtTheCapToo() {
    var pauses: Set<Duration> = []
    for seed in UInt64(1)...20 {
      let plan = FleetPlan(name: "f", channels: [], reconnect: .palbase)
      var backoff = Backoff(plan.reconnect, seed: seed, client: ClientID(0))
      var last = Duration.zero
      for _ in 0..<7 { last = backoff.next() }
      #expect(last >= .seconds(15) && last <= .seconds(45))
      pauses.insert(last)
    }
    #expect(pauses.count == 20)
  }

  @Test func anAppBegunOfflineHasNotReopened() {
    var world = World(startsOffline: true)
    world.driven.give(.start)
    #expect(world.driven.dials == 0)
    #expect(world.session.status.state == .reconnecting)
    world.driven.give(.command(.goOnline))
    #expect(world.driven.dials == 1)
    world.driven.give(.opened)
    #expect(world.session.status.state == .connected)
    #expect(world.session.reconnects == 0)
    world.driven.give(.command(.goOffline))
    #expect(world.session.status.state == .reconnecting)
    world.driven.give(.command(.goOnline))
    world.driven.give(.opened)
    #expect(world.session.reconnects == 1)
  }

  @Test func everyWantedChannelIsJoinedAgainOnceAndALeftOneIsNot() {
    var world = World(channels: ["room:1", "room:2", "room:3"])
    world.start()
    world.command(.leave("room:2"))
    #expect(world.sent.map(\.body) == [.leave])
    world.driven.give(.closed(.reset))
    world.command(.leave("room:3"))
    world.retry()
    world.driven.give(.opened)
    #expect(world.sent.map(\.topic) == ["room:1"])
  }

  @Test func aHeartbeatGoesEvery25SecondsWhateverElsePasses() {
    var world = World()
    world.start()
    let opened = world.driven.now
    for number in 1...3 {
      #expect((world.driven.armed(.ping) ?? .zero) - opened == .seconds(25 * number))
      world.driven.now = world.driven.armed(.ping) ?? .zero
      world.driven.give(.timer(.ping))
      #expect(world.sent.map(\.body) == [.heartbeat])
      world.receive(.ok(), on: "phoenix", ref: world.sent.first?.ref)
      world.command(.broadcast(BroadcastRequest(topic: "room:1", event: "m", payload: [0x7B, 0x7D], intended: .zero)))
    }
  }

  @Test func anUnansweredHeartbeatClosesTheSocketWhenTheNextIsDue() {
    var world = World()
    world.start()
    world.driven.give(.timer(.ping), after: .seconds(25))
    world.receive(.ok(), on: "phoenix", ref: 999)
    world.driven.give(.timer(.ping), after: .seconds(25))
    #expect(world.driven.aborts == 1)
    #expect(world.session.status.state == .reconnecting)
    #expect(world.sent.isEmpty)
  }

  @Test func onlyUnavailableIsTriedAgain() {
    for reason in PalbaseReason.allCases where reason != .unavailable {
      var world = World(channels: ["room:1", "room:2"])
      world.driven.give(.start)
      world.driven.give(.opened)
      let joins = world.sent
      world.receive(.refusedReply(reason: reason.rawValue), on: "room:1", ref: joins[0].ref)
      #expect(world.driven.armed(.retry) == nil)
      #expect(world.session.find("room:1") == nil)
    }
    var world = World()
    world.driven.give(.start)
    world.driven.give(.opened)
    world.admit(reason: "unavailable")
    #expect(world.driven.armed(.retry) == world.driven.now + .milliseconds(500))
    world.driven.give(.timer(.retry), after: .milliseconds(500))
    #expect(world.sent.count == 1)
    world.admit(reason: "unavailable")
    #expect(world.driven.armed(.retry) == world.driven.now + .seconds(1))
    world.driven.give(.timer(.retry), after: .seconds(1))
    world.admit()
    #expect(world.session.isJoined("room:1"))
    #expect(world.driven.dials == 0)
  }

  @Test func aRefusedOnlyChannelLeavesNoSocket() {
    var world = World()
    world.driven.give(.start)
    world.driven.give(.opened)
    world.admit(reason: "forbidden")
    #expect(world.session.status.state == .disconnected)
  }

  @Test func aBroadcastWhileDownIsDroppedAndCounted() {
    var world = World()
    world.driven.give(.start)
    let request = BroadcastRequest(topic: "room:1", event: "m", payload: Array("{}".utf8), intended: .zero)
    world.command(.broadcast(request))
    world.driven.give(.opened)
    world.command(.broadcast(request))
    world.driven.give(.closed(.reset))
    world.command(.broadcast(request))
    #expect(world.session.droppedWhileDown == 3)
    world.retry()
    world.driven.give(.opened)
    world.admit()
    #expect(!world.driven.allSent.contains { $0.contains("broadcast\",\"payload\":{\"type\"") })
    world.command(.broadcast(request))
    #expect(world.sent.map(\.body) == [.broadcast(event: "m", payload: [:])])
  }

  @Test func theWholeStateComesWithTheJoinAndChangesFollow() {
    var world = World()
    world.start()
    world.receive(.state(entries: ["a": PalbaseEntry(value: 1)], version: 4))
    world.receive(.stateChange(key: "b", entry: PalbaseEntry(value: 2, life: .ephemeral), version: 5))
    world.receive(.stateChange(key: "a", entry: nil, version: 6))
    #expect(world.session.entries(of: "room:1") == ["b": PalbaseEntry(value: 2, life: .ephemeral)])
    world.receive(.stateChange(key: "z", entry: nil, version: 6))
    #expect(world.sent.isEmpty)
  }

  @Test func aGapInTheVersionsAsksForTheWholeState() {
    var world = World()
    world.start()
    world.receive(.state(entries: [:], version: 1))
    world.receive(.stateChange(key: "c", entry: PalbaseEntry(value: 3), version: 3))
    #expect(world.sent.map(\.body) == [.stateGet])
    #expect(world.session.entries(of: "room:1") == [:])
    // One question is enough, until a heartbeat finds it unanswered.
    world.receive(.stateChange(key: "d", entry: PalbaseEntry(value: 4), version: 4))
    #expect(world.sent.isEmpty)
    world.driven.give(.timer(.ping), after: .seconds(25))
    #expect(world.sent.map(\.body) == [.heartbeat, .stateGet])
    world.receive(.state(entries: ["c": PalbaseEntry(value: 3)], version: 4))
    world.receive(.stateChange(key: "e", entry: PalbaseEntry(value: 5), version: 5))
    #expect(world.session.entries(of: "room:1").count == 2)
  }

  @Test func aRefreshedTokenGoesToEveryJoinedChannelWithoutLeaving() {
    var world = World(channels: ["room:1", "room:2"])
    world.driven.give(.start)
    world.driven.give(.opened)
    world.receive(.ok(), on: "room:1", ref: world.sent[0].ref)
    world.command(.refreshToken("ok-a2"))
    #expect(world.sent.map(\.body) == [.accessToken("ok-a2")])
    world.driven.give(.closed(.reset))
    world.retry()
    world.driven.give(.opened)
    #expect(world.sent.map(\.body) == [.join(token: "ok-a2"), .join(token: "ok-a2")])
  }

  @Test(arguments: [0, 1, 2, 3])
  func aChangeOfUserOrNoChannelClosesTheSocketAndForgetsTheState(case number: Int) {
    var world = World()
    world.start()
    world.receive(.state(entries: ["a": PalbaseEntry(value: 1)], version: 1))
    switch number {
    case 0: world.driven.give(.command(.signIn(token: nil)))
    case 1: world.driven.give(.command(.signIn(token: "ok-b")))
    case 2: world.command(.endSession)
    default: world.command(.leave("room:1"))
    }
    #expect(world.driven.actions.contains { if case .close = $0 { true } else { false } })
    #expect(world.session.status.state == .disconnected)
    #expect(world.session.entries(of: "room:1") == [:])
    #expect(world.driven.dials == 0)
    world.command(.join("room:1"))
    #expect(world.driven.dials == 1)
    #expect(world.session.status.state == .connecting)
    world.driven.give(.opened)
    #expect(world.session.reconnects == 0)
    #expect(world.session.status.since == world.driven.now)
  }

  @Test func everyChangeOfTheSocketsStateIsToldInOrder() {
    var world = World()
    world.start()
    world.driven.give(.closed(.reset), after: .seconds(1))
    world.retry()
    world.driven.give(.opened)
    world.command(.leave("room:1"))
    let states = world.driven.allIntents.compactMap { if case .socket(let state) = $0 { state } else { nil } }
    #expect(states == ["connecting", "connected", "reconnecting", "connected", "disconnected"])
  }

  @Test func strangeMessagesLeaveTheClientAtWork() {
    var world = World()
    world.start()
    for text in [
      "", "nonsense", "[]", #"[null,"77","room:1","phx_reply",{"status":"ok"}]"#, #"[null,null,"other","state",{}]"#,
      #"[null,null,"room:1","state",{"entries":{"a":5},"version":1}]"#, #"[null,null,"room:1","what",{}]"#,
      #"{"topic":"room:1","event":"state_change","payload":{"key":1,"version":9223372036854775807}}"#,
      #"[null,null,"room:1","state",{"entries":{},"version":9223372036854775807}]"#,
      #"[null,null,"room:1","state_change",{"key":"a","entry":null,"version":-9223372036854775808}]"#,
    ] {
      let payload = Array(text.utf8)
      let facts = PalbaseClassifier().facts(isText: true, payload: payload, direction: .down)
      world.driven.give(.message(WireMessage(payload: payload, facts: facts)))
    }
    #expect(world.session.status.state == .connected)
    #expect(world.session.isJoined("room:1"))
    world.receive(.failed(reason: nil))
    #expect(world.driven.armed(.retry) != nil)
    world.driven.now = world.driven.armed(.retry) ?? world.driven.now
    world.driven.give(.timer(.retry))
    world.admit()
    #expect(world.session.isJoined("room:1"))
  }

  @Test func broadcastsAreFollowedToTheOtherMembers() throws {
    var world = World()
    world.start()
    let marker = Marker(run: 7, client: ClientID(5), sequence: 1, sent: .zero)
    world.receive(.broadcast(event: "m", payload: ["text": .string("\(marker)")]))
    #expect(world.driven.measured == [.shown(0, key: PalbaseChannel.key("room:1"), marker)])
    let own = Marker(run: 7, client: ClientID(0), sequence: 1, sent: .zero)
    world.command(
      .broadcast(
        BroadcastRequest(
          topic: "room:1", event: "m", payload: JSONValue.object(["t": .string("\(own)")]).encoded(), marker: own,
          intended: .zero)))
    #expect(world.driven.measured == [.mutationSent(own, seenBy: [PalbaseChannel.key("room:1")])])
  }
}
