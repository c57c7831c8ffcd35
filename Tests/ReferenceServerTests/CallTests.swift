import Core
import JSON
import Protocols
import Testing

@testable import ReferenceServer

@Suite struct CallTests {
  @Test func aMutationsResultAndItsUpdatesComeInOneTransition() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 1, "notes:list", ["room": "a"])
    bench.subscribe(slot, 2, "notes:list", ["room": "b"])
    _ = bench.take(slot)
    bench.mutate(slot, 7, "notes:add", ["room": "a", "text": "Hi"])
    let messages = bench.take(slot)
    #expect(messages.count == 1)
    guard case .transition(let updates, let results)? = messages.first else {
      Issue.record("no transition")
      return
    }
    #expect(results == [OnebaseResult(requestId: 7, outcome: .ok(value: "n0-1"))])
    #expect(updates.map(\.id) == [1])
    #expect(updates[0].outcome.value?.texts == ["Hi"])
  }

  @Test func othersGetTheChangeAsAnUpdate() {
    let bench = HubBench()
    let (writer, reader) = (bench.connect("ok-alice"), bench.connect())
    bench.subscribe(reader, 3, "notes:list", ["room": "a"])
    _ = bench.take(reader)
    bench.now = .seconds(2)
    bench.mutate(writer, 1, "notes:add", ["room": "a", "text": "Hi"])
    #expect(
      bench.take(reader) == [
        .update(
          OnebaseUpdate(
            id: 3,
            outcome: .ok(value: [
              "room": "a", "notes": [["id": "n0-1", "text": "Hi", "author": "alice", "at": 2000]],
            ])))
      ])
    #expect(bench.take(writer) == [.result(OnebaseResult(requestId: 1, outcome: .ok(value: "n0-1")))])
  }

  @Test func messagesAreProcessedInOrder() {
    let bench = HubBench()
    let slot = bench.connect()
    for number in 1...5 {
      bench.mutate(slot, Int64(number * 2), "notes:add", ["text": .string("\(number)")])
      bench.query(slot, Int64(number * 2 + 1), "notes:list")
    }
    let results = bench.take(slot).compactMap { if case .result(let result) = $0 { result } else { nil } }
    #expect(results.map(\.requestId) == Array(2...11))
    #expect(results[9].outcome.value?.texts == ["1", "2", "3", "4", "5"])
    #expect(results[1].outcome.value?.texts == ["1"])
  }

  @Test func aFailedMutationAnswersAndChangesNothing() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 1, "notes:list")
    _ = bench.take(slot)
    bench.mutate(slot, 1, "notes:add", ["text": 5])
    #expect(bench.takeError(slot)?.text == "Server Error")
    bench.mutate(slot, 2, "errors:convex", ["x": 1])
    #expect(bench.takeError(slot)?.data?["code"] == "refused")
    bench.mutate(slot, 3, "errors:plain")
    #expect(bench.takeError(slot)?.text == "Server Error")
  }

  @Test func devModeShowsOtherErrors() {
    let bench = HubBench { $0.devMode = true }
    let slot = bench.connect()
    bench.query(slot, 1, "errors:plain")
    #expect(bench.takeError(slot)?.text == "Uncaught TypeError: broken on purpose")
    bench.query(slot, 2, "no:such")
    #expect(bench.takeError(slot)?.text == "Could not find public function for 'no:such'")
    bench.query(slot, 3, "notes:list", ["room": []])
    #expect(
      bench.takeError(slot)?.text
        == "Arguments of notes:list are wrong: `room` is neither a string nor a whole number")
  }

  @Test func aCallOfTheWrongKindIsRefused() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.mutate(slot, 1, "notes:list")
    #expect(bench.takeError(slot)?.text == "'notes:list' is no mutation, it is a query")
  }

  @Test func anActionsWritesShowBeforeItsResult() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 1, "notes:list")
    _ = bench.take(slot)
    bench.send(slot, .call(requestId: 1, kind: .action, path: "notes:post", arguments: ["text": "x"]))
    let messages = bench.take(slot)
    #expect(messages.count == 2)
    guard case .update? = messages.first, case .result? = messages.last else {
      Issue.record("\(messages)")
      return
    }
  }

  @Test func notesAreEditedAndRemoved() {
    let bench = HubBench()
    let slot = bench.connect()
    for text in ["a", "b", "c"] { bench.mutate(slot, 1, "notes:add", ["room": 1, "text": .string(text)]) }
    bench.subscribe(slot, 1, "notes:list", ["room": 1])
    _ = bench.take(slot)
    bench.now = .seconds(3)
    bench.mutate(slot, 2, "notes:edit", ["id": "n0-2", "text": "B"])
    guard case .transition(let updates, _)? = bench.take(slot).first else {
      Issue.record("no transition")
      return
    }
    #expect(updates[0].outcome.value?.texts == ["a", "B", "c"])
    #expect(updates[0].outcome.value?["notes"]?[1]?["edited"] == 3000)
    bench.mutate(slot, 3, "notes:remove", ["id": "n0-1"])
    guard case .transition(let after, _)? = bench.take(slot).first else {
      Issue.record("no transition")
      return
    }
    #expect(after[0].outcome.value?.texts == ["B", "c"])
  }

  @Test(arguments: ["n0-1", "n5-1", "n-", "x", "n0-99999999999999999999999", "n-1--1", ""])
  func editingANoteThatIsNotThereSaysSo(id: String) {
    let bench = HubBench()
    let slot = bench.connect()
    bench.mutate(slot, 1, "notes:edit", ["id": .string(id), "text": "x"])
    #expect(bench.takeError(slot)?.text == "There is no such note")
    bench.mutate(slot, 2, "notes:remove", ["id": .string(id)])
    #expect(bench.takeError(slot)?.data?["code"] == "noSuchNote")
  }

  @Test func theListShowsTheNewestTwentyAndTheScanShowsAll() {
    let bench = HubBench()
    let slot = bench.connect()
    for number in 1...45 { bench.mutate(slot, 1, "notes:add", ["room": "r", "text": .string("\(number)")]) }
    _ = bench.take(slot)
    bench.query(slot, 1, "notes:list", ["room": "r"])
    #expect(bench.takeValue(slot)?.texts == (26...45).map(String.init))
    var texts: [String] = []
    var cursor: JSONValue = .null
    var pages = 0
    repeat {
      bench.query(slot, 1, "notes:scan", ["room": "r", "cursor": cursor, "limit": 20])
      let page = bench.takeValue(slot)
      texts += page?.texts ?? []
      cursor = page?["cursor"] ?? .null
      pages += 1
    } while !cursor.isNull && pages < 10
    #expect(texts == (1...45).map(String.init))
    #expect(pages == 3)
  }

  @Test func storedNotesAreCappedAndTheScanCountsWhatWent() {
    let bench = HubBench { $0.limits.notesPerRoom = 100 }
    let slot = bench.connect()
    for number in 1...350 { bench.mutate(slot, 1, "notes:add", ["text": .string("\(number)")]) }
    _ = bench.take(slot)
    bench.query(slot, 1, "notes:scan", ["limit": 1000])
    let page = bench.takeValue(slot)
    #expect(page?.texts == (251...350).map(String.init))
    #expect(page?["dropped"] == 250)
    #expect(page?["cursor"] == .null)
  }

  @Test func allNotesTogetherAreCapped() {
    let bench = HubBench {
      $0.limits.storedBytes = 4096
      $0.limits.noteBytes = 1000
    }
    let slot = bench.connect()
    let text = JSONValue.string(String(repeating: "x", count: 900))
    for _ in 1...20 {
      bench.mutate(slot, 1, "notes:add", ["room": "a", "text": text])
      #expect(bench.hub.statistics.storedBytes <= 4096)
    }
    _ = bench.take(slot)
    bench.mutate(slot, 2, "notes:add", ["text": .string(String(repeating: "x", count: 1001))])
    #expect(bench.takeError(slot)?.data?["code"] == "noteTooLong")
  }

  @Test func theNumberOfRoomsAndCountersIsCapped() {
    let bench = HubBench { $0.limits.rooms = 3 }
    let slot = bench.connect()
    for room in Int64(0)..<5 {
      bench.mutate(slot, 1, "notes:add", ["room": .integer(room), "text": "x"])
      bench.mutate(slot, 1, "counter:increment", ["name": .integer(room)])
    }
    let failures = bench.take(slot).compactMap {
      if case .result(let result) = $0 { result.outcome.failure } else { nil }
    }
    #expect(failures.map { $0.data?["code"] } == ["full", "full", "full", "full"])
  }

  @Test func countersCount() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.mutate(slot, 1, "counter:increment", ["name": "a", "by": 3])
    #expect(bench.takeValue(slot) == ["name": "a", "value": 3])
    bench.mutate(slot, 2, "counter:increment", ["name": "a", "by": .integer(.max)])
    _ = bench.take(slot)
    bench.query(slot, 3, "counter:get", ["name": "a"])
    #expect(bench.takeValue(slot)?["value"] == .integer(Int64.max &+ 3))
  }
}
