import Core
import JSON
import Protocols
import Testing

@testable import ReferenceServer

/// Who may join what, and what a refusal says.
@Suite struct PalbaseJoinTests {
  @Test func aSignedInUserJoinsAPublicChannelAndGetsTheWholeState() {
    let world = PalbaseHubWorld()
    let slot = world.connect()
    #expect(world.join(slot, "room:1", as: "alice") == nil)
    #expect(world.bodies(slot) == [.ok(), .state(entries: [:], version: 0)])
    #expect(world.sent[slot]?.first?.ref == 1)
  }

  @Test func everyReasonOfARefusalIsTold() {
    let world = PalbaseHubWorld {
      $0.limits.joinsPerSecond = 8
      $0.limits.channelsPerConnection = 1
      $0.limits.stateBytes = 100
    }
    let writer = world.connect("bob", joining: "room:big")
    world.send(
      writer, .stateSet(key: "k", value: .string(String(repeating: "x", count: 50)), life: .durable), "room:big")
    #expect(world.call("PUT", "/limits", ["state_bytes": 10]).status == 200)
    let slot = world.connect()
    #expect(world.join(slot, "room:1", as: nil) == "unauthorized")
    world.send(slot, .join(token: "nonsense"), "room:1")
    #expect(world.bodies(slot).last == .refusedReply(reason: "unauthorized"))
    world.send(slot, .join(token: "flaky-1-x"), "room:1")
    #expect(world.bodies(slot).last == .refusedReply(reason: "unavailable"))
    #expect(world.join(slot, "nowhere:1", as: "alice") == "forbidden")
    #expect(world.join(slot, "room::1", as: "alice") == "invalid_topic")
    #expect(world.join(slot, "room:big", as: "alice") == "state_budget")
    #expect(world.join(slot, "room:1", as: "alice") == nil)
    #expect(world.join(slot, "room:2", as: "alice") == "too_many_channels")
    #expect(world.join(slot, "room:1", as: "alice") == "rate_limited")
    world.now += .seconds(1)
    #expect(world.join(slot, "room:1", as: "alice") == nil)
    #expect(world.hub.statistics.refusedJoins == 8)
  }

  @Test func anOwnersChannelAdmitsThatUserAlone() {
    let world = PalbaseHubWorld()
    let slot = world.connect()
    #expect(world.join(slot, "user:alice", as: "alice") == nil)
    #expect(world.join(slot, "user:alice", as: "bob") == "forbidden")
    #expect(world.join(slot, "user:alice:x", as: "alice") == "forbidden")
  }

  @Test func flagChannelsAreThePlatformsOwn() {
    let world = PalbaseHubWorld()
    let slot = world.connect()
    #expect(world.join(slot, "flags:obload", as: "alice") == nil)
    #expect(world.join(slot, "flags:obload:alice", as: "alice") == nil)
    #expect(world.join(slot, "flags:obload:alice", as: "bob") == "forbidden")
    #expect(world.join(slot, "flags:other", as: "alice") == "forbidden")
    #expect(world.join(slot, "flags", as: "alice") == "forbidden")
    world.forget()
    world.send(slot, .broadcast(event: "m", payload: [:]), "flags:obload")
    #expect(world.bodies(slot) == [.refused(event: "m", reason: "forbidden")])
  }

  @Test(arguments: [
    ("flags:{x}", "public"), ("flags", "public"), ("a::b", "public"), ("", "public"), ("user:all", "owner"),
    ("{a}:{b}", "owner"), ("room:{id", "public"), ("room:x{id}", "public"), ("room:1", "private"),
  ])
  func aDeclarationThatCannotBeIsRefusedWhole(pattern: String, kind: String) {
    let world = PalbaseHubWorld()
    let answer = world.call(
      "PUT", "/channels",
      ["channels": [["pattern": "ok:{id}", "kind": "public"], ["pattern": .string(pattern), "kind": .string(kind)]]])
    #expect(answer.status == 422)
    let slot = world.connect()
    #expect(world.join(slot, "ok:1", as: "alice") == "forbidden")
    #expect(world.join(slot, "room:1", as: "alice") == nil)
  }

  @Test func declaredRightsAreAllThatAMemberHas() {
    let world = PalbaseHubWorld()
    world.call(
      "PUT", "/channels",
      [
        "channels": [
          ["pattern": "news:{id}", "kind": "public", "publish": true], ["pattern": "m:{u}", "kind": "owner"],
        ]
      ])
    let slot = world.connect()
    #expect(world.join(slot, "news:1", as: "alice") == nil)
    #expect(world.bodies(slot) == [.ok()])
    world.forget()
    world.send(slot, .stateSet(key: "k", value: 1, life: .durable), "news:1")
    world.send(slot, .stateDelete(key: "k"), "news:1")
    world.send(slot, .stateGet, "news:1")
    world.send(slot, .broadcast(event: "m", payload: [:]), "news:1")
    #expect(
      world.bodies(slot) == ["state_set", "state_delete", "state_get"].map { .refused(event: $0, reason: "forbidden") })
    #expect(world.join(slot, "room:1", as: "alice") == "forbidden")
  }

  @Test func arefreshedTokenKeepsTheMembershipAndABadOneEndsIt() {
    let world = PalbaseHubWorld()
    let slot = world.connect("alice", joining: "user:alice")
    world.send(slot, .accessToken("ok-alice"), "user:alice")
    #expect(world.bodies(slot) == [.ok()])
    world.forget()
    world.send(slot, .accessToken("flaky-1-alice"), "user:alice")
    #expect(world.bodies(slot) == [.refusedReply(reason: "unavailable")])
    world.send(slot, .accessToken("ok-bob"), "user:alice")
    #expect(world.bodies(slot).last == .failed(reason: "forbidden"))
    world.forget()
    world.send(slot, .broadcast(event: "m", payload: [:]), "user:alice")
    #expect(world.bodies(slot) == [.refused(event: "m", reason: "forbidden")])
  }

  @Test func joiningAgainIsOneMembership() {
    let world = PalbaseHubWorld()
    let (slot, other) = (world.connect("alice", joining: "room:1"), world.connect("bob", joining: "room:1"))
    #expect(world.join(slot, "room:1", as: "alice") == nil)
    world.forget()
    world.send(other, .broadcast(event: "m", payload: [:]), "room:1")
    #expect(world.bodies(slot).count == 1)
    world.send(slot, .leave, "room:1")
    world.forget()
    world.send(other, .broadcast(event: "m", payload: [:]), "room:1")
    #expect(world.bodies(slot) == [])
  }

  @Test func aSocketBeyondTheLimitOrTheQuotaIsRefused() {
    let world = PalbaseHubWorld { $0.limits.connections = 2 }
    let first = world.connect()
    #expect(world.hub.refusal() == nil)
    _ = world.connect()
    #expect(world.hub.refusal() == .connectionLimit)
    world.close(first)
    #expect(world.hub.refusal() == nil)
    world.hub.isQuotaUsedUp = true
    #expect(world.hub.refusal() == .quotaUsedUp)
  }
}
