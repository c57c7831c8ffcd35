import Core
import Testing

@Suite struct RangeListTests {
  private func ranges(_ numbers: [UInt64]) -> [ClosedRange<UInt64>] {
    var list: [ClosedRange<UInt64>] = []
    for number in numbers { RangeList.insert(number, into: &list) }
    return list
  }

  @Test func insertedNumbersGrowRanges() {
    #expect(ranges([1, 2, 3]) == [1...3])
    #expect(ranges([1, 3, 2]) == [1...3])
    #expect(ranges([5, 1, 5, 3]) == [1...1, 3...3, 5...5])
    #expect(ranges([3, 2, 2, 1, 7]) == [1...3, 7...7])
  }

  @Test func theGreatestNumberDoesNotOverflow() {
    #expect(ranges([.max, .max - 1, .max]) == [(.max - 1)...(.max)])
    #expect(RangeList.union([0...UInt64.max], [5...6]) == [0...UInt64.max])
    #expect(RangeList.count([(UInt64.max - 1)...UInt64.max]) == 2)
    #expect(RangeList.count([0...UInt64.max]) == .max)
    #expect(RangeList.count([Int64.min...Int64.max]) == .max)
  }

  @Test func aListEqualsTheSetOfItsNumbers() {
    var random = SeededRandom(seed: 4, purpose: .test)
    for _ in 0..<50 {
      let numbers = (0..<30).map { _ in random.next() % 40 }
      let list = ranges(numbers)
      #expect(list.flatMap { Array($0) } == Set(numbers).sorted())
      #expect(RangeList.count(list) == Set(numbers).count)
      #expect(RangeList.union(ranges(Array(numbers.prefix(15))), ranges(Array(numbers.suffix(15)))) == list)
    }
  }
}

@Suite struct FaultApplicationTests {
  private func part(_ number: Int) -> FaultApplication {
    var part = FaultApplication(ordinal: 2, name: "storm", kind: "reset")
    part.started = number == 1 ? nil : .seconds(20 + Double(number))
    part.ended = number == 2 ? nil : .seconds(30 - Double(number))
    part.span = number == 0 ? nil : .milliseconds(number * 5)
    part.connections = [UInt64(number)...UInt64(number + 1), UInt64(10 * number + 10)...UInt64(10 * number + 10)]
    part.clients = [UInt32(number * 3)...UInt32(number * 3 + 2)]
    part.applications = UInt64(number + 1)
    return part
  }

  @Test func threePartsMergeToTheSameInAllOrders() {
    var results: Set<FaultApplication> = []
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var left = part(order[0])
      left.merge(part(order[1]))
      left.merge(part(order[2]))
      var inner = part(order[1])
      inner.merge(part(order[2]))
      var right = part(order[0])
      right.merge(inner)
      results.formUnion([left, right])
    }
    #expect(results.count == 1)
    let merged = results.first
    #expect(merged?.started == .seconds(20))
    #expect(merged?.ended == .seconds(30))
    #expect(merged?.span == .milliseconds(10))
    #expect(merged?.connections == [0...3, 10...10, 20...20, 30...30])
    #expect(merged?.clients == [0...8])
    #expect(merged?.applications == 6)
  }

  @Test func aSetOfFaultsNamesTheirOrdinals() {
    let set: FaultSet = [FaultSet(ordinal: 3), FaultSet(ordinal: 0), FaultSet(ordinal: 63), FaultSet(ordinal: 900)]
    #expect(set.ordinals == [0, 3, 63])
    #expect(FaultSet(ordinal: -1).ordinals == [0])
  }

  @Test func connectionsOfDifferentLoopsNeverMeet() {
    let id = ConnectionID(loop: 255, ordinal: 7)
    #expect(id.loop == 255 && id.ordinal == 7 && id.description == "255.7")
    #expect(ConnectionID(loop: 0, ordinal: 7) != id)
  }
}
