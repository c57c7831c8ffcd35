import Core
import JSON
import Protocols
import Testing

@testable import ReferenceServer

@Suite struct SubscriptionTests {
  @Test func theFirstUpdateCarriesTheIdAndTheValue() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 42, "notes:list", ["room": 7])
    #expect(
      bench.take(slot) == [.update(OnebaseUpdate(id: 42, outcome: .ok(value: ["room": 7, "notes": []])))])
  }

  @Test func identicalSubscriptionsRunOnceAndShareTheResult() {
    let bench = HubBench()
    let slots = (0..<5).map { _ in bench.connect("ok-alice") }
    // The order of arguments and the way a number is written make no difference.
    for (place, slot) in slots.enumerated() {
      bench.send(
        slot,
        text: place % 2 == 0
          ? #"{"type":"sub","id":1,"path":"notes:list","args":{"room":1,"x":2}}"#
          : #"{"args":{"x":2.0,"room":1},"path":"notes:list","id":1,"type":"sub"}"#)
    }
    #expect(bench.hub.liveSubscriptions == 1)
    #expect(bench.hub.statistics.queryRuns == 1)
    bench.mutate(slots[0], 1, "notes:add", ["room": 1, "text": "Hi"])
    #expect(bench.hub.statistics.queryRuns == 2)
    for slot in slots[1...] { #expect(bench.takeLastUpdate(slot)?.texts == ["Hi"]) }
  }

  @Test func otherArgumentsOrAnotherUserRunApart() {
    let bench = HubBench()
    let alice = bench.connect("ok-alice")
    let bob = bench.connect("ok-bob")
    bench.subscribe(alice, 1, "notes:list", ["room": 1])
    bench.subscribe(alice, 2, "notes:list", ["room": 2])
    bench.subscribe(bob, 1, "notes:list", ["room": 1])
    #expect(bench.hub.liveSubscriptions == 3)
  }

  @Test func theSameIdReplacesTheSubscription() {
    let bench = HubBench()
    let slot = bench.connect()
    let writer = bench.connect()
    bench.subscribe(slot, 1, "notes:list", ["room": "a"])
    bench.subscribe(slot, 1, "notes:list", ["room": "b"])
    _ = bench.take(slot)
    bench.mutate(writer, 1, "notes:add", ["room": "a", "text": "old"])
    #expect(bench.take(slot).isEmpty)
    bench.mutate(writer, 2, "notes:add", ["room": "b", "text": "new"])
    #expect(bench.takeValue(slot)?.texts == ["new"])
    #expect(bench.hub.statistics.replaced == 1)
  }

  @Test func afterUnsubUpdatesStop() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 1, "counter:get")
    bench.send(slot, .unsubscribe(id: 1))
    bench.send(slot, .unsubscribe(id: 99))
    _ = bench.take(slot)
    bench.mutate(bench.connect(), 1, "counter:increment")
    #expect(bench.take(slot).isEmpty)
    #expect(bench.hub.liveSubscriptions == 0)
    #expect(bench.closes.isEmpty)
  }

  @Test func aClosedConnectionLeavesNothingBehind() {
    let bench = HubBench()
    let slots = (0..<50).map { _ in bench.connect() }
    for slot in slots {
      for id in 1...3 { bench.subscribe(slot, Int64(id), "notes:list", ["room": .integer(Int64(id))]) }
    }
    // From the middle out, so that subscribers move.
    for slot in slots[10..<40] { bench.hub.close(slot) }
    for slot in slots { _ = bench.take(slot) }
    bench.mutate(slots[0], 1, "notes:add", ["room": 2, "text": "x"])
    for slot in slots[..<10] + slots[40...] { #expect(bench.take(slot).count == 1) }
    for slot in slots[..<10] + slots[40...] { bench.hub.close(slot) }
    #expect(bench.hub.liveSubscriptions == 0)
    #expect(bench.hub.statistics.open == 0)
  }

  @Test func valuesThatDidNotChangeAreNotSentAgain() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 1, "counter:get", ["name": "a"])
    _ = bench.take(slot)
    bench.mutate(bench.connect(), 1, "counter:increment", ["name": "a", "by": 0])
    #expect(bench.take(slot).isEmpty)
  }

  @Test func severalChangesOfOneConnectionComeAsOneTransition() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 1, "counter:get", ["name": "a"])
    bench.subscribe(slot, 2, "counter:checked", ["name": "a"])
    bench.subscribe(slot, 3, "counter:get", ["name": "a"])
    _ = bench.take(slot)
    bench.mutate(bench.connect(), 1, "counter:increment", ["name": "a"])
    let messages = bench.take(slot)
    #expect(messages.count == 1)
    guard case .transition(let updates, let results)? = messages.first else {
      Issue.record("no transition")
      return
    }
    #expect(results.isEmpty)
    #expect(Set(updates.map(\.id)) == [1, 2, 3])
  }

  @Test func aMissingFunctionFailsUntilADeployAddsIt() {
    let bench = HubBench()
    let slot = bench.connect("ok-alice")
    bench.subscribe(slot, 5, "late:greet")
    #expect(bench.takeError(slot)?.text == "Server Error")
    bench.deploy()
    #expect(bench.take(slot) == [.update(OnebaseUpdate(id: 5, outcome: .ok(value: "Hello, alice")))])
  }

  @Test func aFailedSubscriptionIsKeptAndRecoversWithTheData() {
    let bench = HubBench { $0.devMode = true }
    let slot = bench.connect()
    let writer = bench.connect()
    bench.mutate(writer, 1, "counter:increment", ["by": -1])
    bench.subscribe(slot, 1, "counter:checked")
    #expect(bench.takeError(slot)?.text.contains("below zero") == true)
    bench.mutate(writer, 2, "counter:increment", ["by": 1])
    #expect(bench.takeValue(slot)?["value"] == 0)
  }

  @Test func aConvexErrorShowsTextAndDataToSubscribers() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 1, "errors:convex", ["a": 1])
    let failure = bench.takeError(slot)
    #expect(failure?.text == "Refused on purpose")
    #expect(failure?.data == ["code": "refused", "args": ["a": 1]])
  }

  @Test func aMutationCannotBeSubscribedTo() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 1, "notes:add", ["text": "x"])
    #expect(bench.takeError(slot)?.text == "'notes:add' is no query, it is a mutation")
    bench.query(slot, 1, "notes:scan")
    #expect(bench.takeValue(slot)?.texts == [])
  }
}

extension HubBench {
  func takeLastUpdate(_ slot: Int) -> JSONValue? {
    if case .update(let update)? = take(slot).last { update.outcome.value } else { nil }
  }
}
