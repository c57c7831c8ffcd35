import Core
import JSON
import Metrics
import Testing

@testable import Reporting

@Suite struct MergeTests {
  /// What a merged record shows, as text.
  private func shown(_ record: RunRecord) -> String {
    SummaryJSON.text(Fixture.report(record)) + String(decoding: record.events.jsonLines, as: UTF8.self)
  }

  @Test func mergingIsAssociativeAndCommutative() throws {
    let parts = [
      Fixture.record(shard: 0, calls: 3), Fixture.record(shard: 1, calls: 5, lost: 1),
      Fixture.record(shard: 2, calls: 1),
    ]
    func merged(_ order: [Int]) throws -> RunRecord {
      var result = parts[order[0]]
      for index in order.dropFirst() { try result.merge(parts[index]) }
      return result
    }
    let expected = shown(try merged([0, 1, 2]))
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      #expect(shown(try merged(order)) == expected)
    }
    var right = parts[1]
    try right.merge(parts[2])
    var nested = parts[0]
    try nested.merge(right)
    #expect(shown(nested) == expected)
  }

  @Test func aMergedRecordHoldsTheSumOfItsParts() throws {
    var record = Fixture.record(shard: 0, calls: 3)
    try record.merge(Fixture.record(shard: 1, calls: 5))
    #expect(record.metrics.calls().intended == 8)
    #expect(record.fleets == [FleetRecord(name: "readers", clients: 2, started: 2)])
    #expect(record.shards.map(\.index) == [0, 1])
    #expect(record.faults.count == 1)
    #expect(record.faults[0].clients == [0...1])
    #expect(record.faults[0].applications == 6)
  }

  @Test func eventsOfSeveralLoopsAreInOrderOfTimeThenLoop() {
    var first = EventLog(loop: 0)
    var second = EventLog(loop: 1)
    first.add("a", at: .seconds(2), ["n": 1])
    first.add("a", at: .seconds(3), ["n": 2])
    second.add("a", at: .seconds(1), ["n": 3])
    second.add("b", at: .seconds(2), ["n": 4])
    first.merge(second)
    #expect(first.events.map { $0.fields["n"] } == [3, 1, 4, 2])
  }

  @Test func eventsBeyondTheCapOfTheirKindAreCounted() {
    var log = EventLog(cap: 2)
    for second in 0..<5 { log.add("violation", at: .seconds(Double(second)), [:]) }
    log.add("fault", at: .seconds(9), [:])
    #expect(log.events.map(\.kind) == ["violation", "violation", "fault"])
    #expect(log.omitted.map(\.count) == [3])
    let lines = String(decoding: log.jsonLines, as: UTF8.self).split(separator: "\n")
    #expect(lines.last == #"{"kind":"omitted","of":"violation","count":3}"#)
  }
}
