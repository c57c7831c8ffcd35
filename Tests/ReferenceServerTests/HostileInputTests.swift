import Core
import JSON
import Protocols
import Testing

@testable import ReferenceServer

@Suite struct HostileInputTests {
  @Test(arguments: [
    "", "{", "hello", "[]", "5", "null", "{}", #"{"type":5}"#, #"{"type":"auth"}"#, #"{"type":"auth","token":5}"#,
    #"{"type":"sub","id":"1","path":"notes:list","args":{}}"#, #"{"type":"sub","id":1,"args":{}}"#,
    #"{"type":"sub","id":1,"path":"notes:list","args":[]}"#, #"{"type":"unsub"}"#,
    #"{"type":"call","requestId":1,"kind":"delete","path":"notes:list","args":{}}"#,
    #"{"type":"call","requestId":null,"kind":"query","path":"notes:list","args":{}}"#,
    #"{"type":"call","requestId":1,"kind":"query","path":5}"#,
    #"{"type":"sub","id":1.5,"path":"notes:list"}"#, #"{"type":"sub","id":1e300,"path":"notes:list"}"#,
    #"{"type":"call","requestId":99999999999999999999,"kind":"query","path":"notes:list"}"#,
    #"{"type":"sub","id":1,"path":"notes:list","args":{"a":tru}}"#,
  ])
  func whatIsNoMessageEndsTheConnectionWithTheReason(text: String) {
    let bench = HubBench()
    let slot = bench.hub.open()
    bench.send(slot, text: text)
    #expect(bench.closes[slot]?.code == 1008)
    #expect(bench.closes[slot]?.reason.isEmpty == false)
    #expect(bench.take(slot).isEmpty)
  }

  @Test func nothingIsProcessedBehindWhatIsNoMessage() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.send(slot, text: "hello")
    bench.mutate(slot, 1, "counter:increment")
    #expect(bench.take(slot).isEmpty)
    let other = bench.connect()
    bench.query(other, 1, "counter:get")
    #expect(bench.takeValue(other)?["value"] == 0)
  }

  @Test func aTypeFromTheFutureIsSkipped() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.send(slot, text: #"{"type":"presence","id":1}"#)
    #expect(bench.closes.isEmpty)
    #expect(bench.hub.statistics.unknown == 1)
    bench.query(slot, 1, "me:get")
    #expect(bench.takeValue(slot) == .null)
  }

  @Test func binaryMessagesAreRefused() {
    let bench = HubBench()
    let slot = bench.hub.open()
    bench.send(slot, bytes: [1, 2, 3], isText: false)
    #expect(bench.closes[slot]?.code == 1003)
  }

  @Test func wholeNumbersOf64BitsAreAnsweredAsTheyWere() {
    let bench = HubBench()
    let slot = bench.connect()
    let ids: [Int64] = [.max, .min, 0, -1, 1 << 53, (1 << 53) + 1]
    for id in ids {
      bench.subscribe(slot, id, "me:get")
      #expect(bench.take(slot) == [.update(OnebaseUpdate(id: id, outcome: .ok(value: .null)))])
    }
    #expect(bench.closes.isEmpty)
  }

  @Test func tooManySubscriptionsFailByName() {
    let bench = HubBench()
    let slot = bench.connect()
    for id in 1...10_000 { bench.subscribe(slot, Int64(id), "counter:get", ["name": .integer(Int64(id))]) }
    #expect(bench.hub.liveSubscriptions == 1000)
    guard case .update(let last)? = bench.take(slot).last else {
      Issue.record("no update")
      return
    }
    #expect(last.id == 10_000)
    #expect(last.outcome.failure?.text == "Too many subscriptions: at most 1000 a connection")
    // Replacing one, and one more after an unsub, are still possible.
    bench.subscribe(slot, 5, "me:get")
    #expect(bench.takeValue(slot) == .null)
    bench.send(slot, .unsubscribe(id: 6))
    bench.subscribe(slot, 20_000, "me:get")
    #expect(bench.takeValue(slot) == .null)
  }

  @Test func giantArgumentsAreRefusedByName() {
    let bench = HubBench()
    let slot = bench.connect()
    let giant = JSONValue.string(String(repeating: "x", count: 200_000))
    bench.subscribe(slot, 1, "notes:list", ["room": giant])
    #expect(bench.takeError(slot)?.text == "Arguments are too large: 200011 bytes, at most 65536")
    bench.mutate(slot, 1, "notes:add", ["text": giant])
    #expect(bench.takeError(slot)?.text == "Arguments are too large: 200011 bytes, at most 65536")
    #expect(bench.hub.liveSubscriptions == 0)
  }

  @Test func deepArgumentsEndTheConnection() {
    let bench = HubBench()
    let slot = bench.connect()
    let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
    bench.send(slot, text: #"{"type":"sub","id":1,"path":"notes:list","args":{"a":\#(deep)}}"#)
    #expect(bench.closes[slot]?.code == 1008)
  }

  @Test func messagesOfAClosedConnectionAreIgnored() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.hub.close(slot)
    bench.hub.close(slot)
    bench.send(slot, .auth(token: nil))
    bench.send(slot + 100, .auth(token: nil))
    #expect(bench.take(slot).isEmpty)
  }

  @Test func escapedTextAndKeysAreUnderstood() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.send(
      slot,
      text: #"{"\u0074ype":"call","requestId":1,"kind":"mutation","path":"notes:add","args":{"text":"a\"b\\\u00e9\n"}}"#
    )
    bench.query(slot, 2, "notes:list")
    guard case .result(let result)? = bench.take(slot).last else {
      Issue.record("no result")
      return
    }
    #expect(result.outcome.value?.texts == ["a\"b\\é\n"])
  }
}
