import Core
import JSON
import Protocols
import Testing

@testable import ReferenceServer

/// Broadcasts, state, presence and the project's own calls.
@Suite struct PalbaseChannelTests {
  @Test func aBroadcastReachesTheOthersInTheVersionEachSpeaks() {
    let world = PalbaseHubWorld()
    let sender = world.connect("a", joining: "room:1")
    let object = world.connect("b", joining: "room:1")
    let array = world.connect("c", joining: "room:1", version: .array)
    let elsewhere = world.connect("d", joining: "room:2")
    world.send(sender, .broadcast(event: "m", payload: ["n": 1]), "room:1")
    world.send(sender, .broadcast(event: "m", payload: ["n": 2]), "room:1")
    let expected: [PalbaseServerMessage.Body] = [1, 2].map { .broadcast(event: "m", payload: ["n": .integer($0)]) }
    #expect(world.bodies(object) == expected)
    #expect(world.bodies(array) == expected)
    #expect(world.bodies(sender) == [] && world.bodies(elsewhere) == [])
    #expect(world.texts[object]?.first?.hasPrefix("{") == true)
    #expect(world.texts[array]?.first?.hasPrefix("[null,null,\"room:1\"") == true)
  }

  @Test func aChangeIsToldToAllWithItsVersionAndWhoseItIs() {
    let world = PalbaseHubWorld()
    let (writer, other) = (world.connect("a", joining: "room:1"), world.connect("b", joining: "room:1"))
    world.send(writer, .stateSet(key: "k", value: [1, nil], life: .ephemeral), "room:1")
    func change(_ isOwn: Bool) -> PalbaseServerMessage.Body {
      .stateChange(key: "k", entry: PalbaseEntry(value: [1, nil], life: .ephemeral, isOwn: isOwn), version: 1)
    }
    #expect(world.bodies(writer) == [change(true)])
    #expect(world.bodies(other) == [change(false)])
    world.forget()
    world.send(other, .stateGet, "room:1")
    #expect(
      world.bodies(other) == [
        .state(entries: ["k": PalbaseEntry(value: [1, nil], life: .ephemeral, isOwn: false)], version: 1)
      ])
    world.send(writer, .stateGet, "room:1")
    #expect(
      world.bodies(writer) == [
        .state(entries: ["k": PalbaseEntry(value: [1, nil], life: .ephemeral, isOwn: true)], version: 1)
      ])
  }

  @Test(arguments: [nil, true, 0, -1.5, "", "ü\"\\\n", [], [[1], [:]], [:], ["a": ["b": nil]]] as [JSONValue])
  func entriesHoldEveryKindOfValue(value: JSONValue) {
    let world = PalbaseHubWorld()
    let slot = world.connect("a", joining: "room:1")
    world.send(slot, .stateSet(key: "ключ", value: value, life: .durable), "room:1")
    #expect(
      world.bodies(slot) == [.stateChange(key: "ключ", entry: PalbaseEntry(value: value, isOwn: true), version: 1)])
  }

  @Test func onlyItsWriterRemovesAnEntry() {
    let world = PalbaseHubWorld()
    let (writer, other) = (world.connect("a", joining: "room:1"), world.connect("b", joining: "room:1"))
    world.send(writer, .stateSet(key: "k", value: 1, life: .durable), "room:1")
    world.forget()
    world.send(other, .stateDelete(key: "k"), "room:1")
    #expect(world.bodies(other) == [.refused(event: "state_delete", reason: "forbidden")])
    #expect(world.bodies(writer) == [])
    world.send(writer, .stateDelete(key: "k"), "room:1")
    #expect(world.bodies(writer) == [.stateChange(key: "k", entry: nil, version: 2)])
    world.forget()
    world.send(writer, .stateDelete(key: "k"), "room:1")
    #expect(world.bodies(writer) == [])
  }

  @Test func anEphemeralEntryGoesWithItsConnectionAndADurableOneStays() {
    let world = PalbaseHubWorld()
    let (writer, other) = (world.connect("a", joining: "room:1"), world.connect("b", joining: "room:1"))
    world.send(writer, .stateSet(key: "here", value: true, life: .ephemeral), "room:1")
    world.send(writer, .stateSet(key: "kept", value: true, life: .durable), "room:1")
    world.forget()
    world.close(writer)
    #expect(world.bodies(other) == [.stateChange(key: "here", entry: nil, version: 3)])
    world.close(other)
    // Nobody is left: the durable entry waits, and is still its writer's when he comes back.
    let again = world.connect()
    world.join(again, "room:1", as: "a")
    #expect(
      world.bodies(again).last == .state(entries: ["kept": PalbaseEntry(value: true, isOwn: true)], version: 3))
    world.send(again, .stateDelete(key: "kept"), "room:1")
    world.close(again)
    #expect(world.hub.statistics.channels == 0)
    #expect(world.hub.statistics.stateBytes == 0)
  }

  @Test func anotherConnectionInTheSlotDoesNotInheritWhatTheFirstWrote() {
    let world = PalbaseHubWorld()
    let stays = world.connect("b", joining: "room:1")
    let first = world.connect("a", joining: "room:1")
    world.close(first)
    let second = world.connect("a", joining: "room:1")
    #expect(first == second)
    world.send(stays, .stateSet(key: "k", value: 1, life: .ephemeral), "room:1")
    world.send(second, .stateDelete(key: "k"), "room:1")
    #expect(world.bodies(second).last == .refused(event: "state_delete", reason: "forbidden"))
  }

  @Test func ratesHoldForAConnectionAndForTheProject() {
    let world = PalbaseHubWorld {
      $0.limits.broadcastsPerSecond = 3
      $0.limits.projectBroadcastsPerSecond = 5
      $0.limits.stateWritesPerSecond = 2
    }
    let (a, b) = (world.connect("a", joining: "room:1"), world.connect("b", joining: "room:1"))
    for _ in 0..<4 { world.send(a, .broadcast(event: "m", payload: [:]), "room:1") }
    #expect(world.bodies(a) == [.refused(event: "m", reason: "rate_limited")])
    #expect(world.bodies(b).count == 3)
    for _ in 0..<3 { world.send(b, .broadcast(event: "n", payload: [:]), "room:1") }
    #expect(world.bodies(b).last == .refused(event: "n", reason: "rate_limited"))
    world.now += .seconds(1)
    world.forget()
    for n in Int64(0)..<3 { world.send(a, .stateSet(key: "k", value: .integer(n), life: .durable), "room:1") }
    #expect(world.bodies(a).last == .refused(event: "state_set", reason: "rate_limited"))
    #expect(world.bodies(a).count == 3)
    world.send(a, .broadcast(event: "m", payload: [:]), "room:1")
    #expect(world.bodies(b).last == .broadcast(event: "m", payload: [:]))
  }

  @Test func aStateBelowAndAtItsLimitIsTakenAndAboveItRefused() {
    let world = PalbaseHubWorld { $0.limits.stateBytes = 10 }
    let slot = world.connect("a", joining: "room:1")
    world.send(slot, .stateSet(key: "k", value: 1234, life: .durable), "room:1")
    world.send(slot, .stateSet(key: "k2", value: 123, life: .durable), "room:1")
    #expect(world.bodies(slot).count == 2)
    world.forget()
    world.send(slot, .stateSet(key: "k", value: 12345, life: .durable), "room:1")
    #expect(world.bodies(slot) == [.refused(event: "state_set", reason: "state_budget")])
    world.forget()
    world.send(slot, .stateSet(key: "k", value: 1, life: .durable), "room:1")
    #expect(world.bodies(slot).count == 1)
    #expect(world.hub.statistics.stateBytes == 7)
  }

  @Test func limitsAreLoweredAndNotRaised() {
    let world = PalbaseHubWorld { $0.limits.joinsPerSecond = 10 }
    #expect(world.call("PUT", "/limits", ["joins_per_second": 5]).body["joins_per_second"] == 5)
    #expect(world.call("PUT", "/limits", ["joins_per_second": 10]).status == 200)
    #expect(world.call("PUT", "/limits", ["connections": 1, "joins_per_second": 11]).status == 422)
    #expect(world.hub.limits == world.hub.options.limits)
    for bad: JSONValue in [["joins": 1], ["joins_per_second": -1], ["joins_per_second": 1.5], [], nil] {
      #expect(world.call("PUT", "/limits", bad).status == 422)
    }
  }

  @Test func theProjectsServerBroadcastsToEveryMember() {
    let world = PalbaseHubWorld()
    let (a, b) = (world.connect("a", joining: "room:1"), world.connect("b", joining: "room:1", version: .array))
    let answer = world.call("POST", "/broadcast", ["topic": "room:1", "event": "m", "payload": ["n": 1]])
    #expect(answer == .ok(["members": 2]))
    for slot in [a, b] { #expect(world.bodies(slot) == [.broadcast(event: "m", payload: ["n": 1])]) }
  }

  @Test func serverCallsNeedTheSecretKey() {
    let world = PalbaseHubWorld()
    for (method, path) in [("PUT", "/channels"), ("PUT", "/limits"), ("POST", "/broadcast")] {
      #expect(world.call(method, path, [:], key: nil).status == 401)
      #expect(world.call(method, path, [:], key: "wrong").status == 401)
    }
    #expect(world.call("DELETE", "/limits").status == 405)
    #expect(world.call("PUT", "/other").status == 404)
  }

  // MARK: Bad input

  @Test func badMessagesAreAnsweredByNameAndOthersGoOn() {
    let world = PalbaseHubWorld()
    let slot = world.connect("a", joining: "room:1")
    let cases: [(String, PalbaseServerMessage.Body)] = [
      (#"["1","9","room:1","nonsense",{}]"#, .refusedReply(reason: "unknown_event")),
      (#"["1","9","room:1","phx_reply",{"status":"ok"}]"#, .refusedReply(reason: "unknown_event")),
      (#"{"topic":"room:1","event":"broadcast","payload":5}"#, .refused(event: "broadcast", reason: "invalid_payload")),
      (
        #"{"topic":"room:1","event":"broadcast","payload":{"event":"m","payload":{"a":[1 2]}}}"#,
        .refused(event: "broadcast", reason: "invalid_payload")
      ),
      (
        #"[null,null,"room:1","state_set",{"key":"k","life":"eternal"}]"#,
        .refused(event: "state_set", reason: "invalid_payload")
      ),
      (#"[null,null,"room:1","state_set",{"key":""}]"#, .refused(event: "state_set", reason: "invalid_payload")),
      (#"[null,"7","room:9","state_get",{}]"#, .refused(event: "state_get", reason: "forbidden")),
      (#"[null,"7","room:1","phx_join",null]"#, .refusedReply(reason: "unauthorized")),
      (#"[null,"7","phoenix","phx_join",{"token":"ok-a"}]"#, .refusedReply(reason: "invalid_topic")),
    ]
    for (text, body) in cases {
      world.forget()
      world.send(slot, raw: Array(text.utf8))
      #expect(world.bodies(slot) == [body], "\(text)")
    }
    world.forget()
    world.send(slot, .heartbeat, "phoenix")
    #expect(world.bodies(slot) == [.ok()])
    #expect(world.closed[slot] == nil)
    let long = "room:" + String(repeating: "x", count: 251)
    #expect(world.join(slot, long, as: "a") == "invalid_topic")
  }

  @Test(arguments: ["", "nonsense", "[]", "{}", "[1,2,3,4,5]", #"{"topic":"a"}"#, #"["#])
  func whatIsNoMessageEndsItsConnectionAlone(text: String) {
    let world = PalbaseHubWorld()
    let (slot, other) = (world.connect("a", joining: "room:1"), world.connect("b", joining: "room:1"))
    world.send(slot, .stateSet(key: "k", value: 1, life: .ephemeral), "room:1")
    world.forget()
    world.send(slot, raw: Array(text.utf8))
    #expect(world.closed[slot] == 1008)
    #expect(world.bodies(other) == [.stateChange(key: "k", entry: nil, version: 2)])
    world.send(slot, raw: Array(text.utf8))
    #expect(world.hub.statistics.malformed == 1)
  }

  @Test func versionsMayBeMixedOnOneConnection() {
    let world = PalbaseHubWorld()
    let slot = world.connect("a", joining: "room:1")
    let other = world.connect("b", joining: "room:1")
    for version in [PalbaseVersion.array, .object, .array] {
      world.forget()
      world.send(slot, .heartbeat, "phoenix", version: version)
      world.send(other, .broadcast(event: "m", payload: [:]), "room:1")
      #expect(world.texts[slot]?.map { $0.first == "[" } == [version == .array, version == .array])
    }
  }

  @Test func repeatedRefsAreAnsweredEachTime() {
    let world = PalbaseHubWorld()
    let slot = world.connect()
    for _ in 0..<3 {
      world.send(slot, raw: Array(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"1"}"#.utf8))
    }
    #expect(world.sent[slot]?.map(\.ref) == [1, 1, 1])
    // Clients that give heartbeats no ref are answered without one.
    world.send(slot, raw: Array(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":null}"#.utf8))
    #expect(world.texts[slot]?.last?.hasSuffix(#""ref":null}"#) == true)
  }
}
