import Core
import JSON
import Protocols
import Testing

@testable import ReferenceServer

@Suite struct FanOutTests {
  @Test func subscribersWithTheSameIdShareOneFrame() {
    let bench = HubBench()
    let readers = (0..<200).map { bench.connect("ok-\($0)") }
    for reader in readers { bench.subscribe(reader, 1, "notes:list", ["room": 1]) }
    let before = bench.log.count
    bench.mutate(bench.connect(), 1, "notes:add", ["room": 1, "text": "x"])
    let frames = bench.log[before...].map(\.frame).filter { $0.count > 100 }
    #expect(frames.count == 200)
    // The same storage, though each reader is another user: nothing was encoded again.
    let addresses = Set(frames.map { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } })
    #expect(addresses.count == 1)
  }

  @Test func theSameMessagesGiveTheSameBytes() {
    func run() -> (hash: UInt64, bytes: Int) {
      let bench = HubBench()
      var random = SeededRandom(seed: 7, purpose: .test)
      let slots = (0..<40).map { bench.connect("ok-\($0 % 7)") }
      for step in 0..<1000 {
        let slot = slots[Int(random.next() % 40)]
        let room = JSONValue.integer(Int64(random.next() % 5))
        bench.now = .milliseconds(Double(step))
        switch random.next() % 6 {
        case 0: bench.subscribe(slot, Int64(random.next() % 4), "notes:list", ["room": room])
        case 1: bench.send(slot, .unsubscribe(id: Int64(random.next() % 4)))
        case 2: bench.subscribe(slot, 9, "counter:get", ["name": room])
        case 3: bench.mutate(slot, Int64(step), "counter:increment", ["name": room])
        default: bench.mutate(slot, Int64(step), "notes:add", ["room": room, "text": .string("note \(step)")])
        }
      }
      return bench.log.reduce((StableHash.of([]), 0)) { sum, entry in
        (StableHash.of([UInt8(truncatingIfNeeded: entry.slot)] + entry.frame, seed: sum.0), sum.1 + entry.frame.count)
      }
    }
    let first = run()
    #expect(first.bytes > 100_000)
    #expect(first == run())
  }

  /// Whatever happens, what each subscriber was shown last is what a fresh query gives.
  @Test func everySubscriberEndsWithTheValueOfAFreshQuery() {
    let bench = HubBench()
    var random = SeededRandom(seed: 11, purpose: .test)
    let slots = (0..<20).map { bench.connect("ok-\($0 % 3)") }
    var rooms: [Int: [Int64: JSONValue]] = [:]
    for step in 0..<1500 {
      let slot = slots[Int(random.next() % 20)]
      let id = Int64(random.next() % 3)
      let room = JSONValue.integer(Int64(random.next() % 3))
      switch random.next() % 5 {
      case 0:
        rooms[slot, default: [:]][id] = room
        bench.subscribe(slot, id, "notes:list", ["room": room])
      case 1:
        rooms[slot, default: [:]][id] = nil
        bench.send(slot, .unsubscribe(id: id))
      case 2: bench.mutate(slot, 1, "notes:remove", ["id": .string("n\(random.next() % 3)-\(random.next() % 400)")])
      default: bench.mutate(slot, 1, "notes:add", ["room": room, "text": .string("\(step)")])
      }
    }
    for slot in slots {
      var shown: [Int64: JSONValue] = [:]
      for message in bench.take(slot) {
        switch message {
        case .update(let update): shown[update.id] = update.outcome.value
        case .transition(let updates, _): for update in updates { shown[update.id] = update.outcome.value }
        default: break
        }
      }
      for (id, room) in rooms[slot] ?? [:] {
        bench.query(slot, 1, "notes:list", ["room": room])
        #expect(bench.takeValue(slot) == shown[id])
      }
    }
  }
}
