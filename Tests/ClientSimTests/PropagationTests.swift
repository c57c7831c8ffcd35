import Core
import Metrics
import Testing

@testable import ClientSim

struct PropagationTests {
  let table = PropagationTable(keys: 64, slots: 64)
  let key: UInt64 = 99
  func marker(_ sequence: UInt32, at sent: Instant = .zero) -> Marker {
    Marker(run: 1, client: ClientID(0), sequence: sequence, sent: sent)
  }
  func metrics() -> MetricSet {
    MetricSet(timeline: WindowTimeline(faults: [], duration: .seconds(60)), clients: 4)
  }

  @Test func receiversAreThoseThatAreLiveAtTheSendButForTheSenderItself() {
    #expect(table.send(marker(1), to: key, own: 0) == nil)
    for _ in 0..<3 { _ = table.join(key) }
    #expect(table.live(key) == 3)
    #expect(table.send(marker(2), to: key, own: 1)?.expected == 2)
    #expect(table.show(marker(2), at: key) { _ in true } == .expected)
    #expect(table.show(marker(2), at: key) { _ in true } == .last)
    #expect(table.show(marker(2), at: key) { _ in true } == .unexpected)
    _ = table.leave(key)
    #expect(table.live(key) == 2)
  }

  @Test func whoJoinedAfterTheSendIsNotExpected() {
    var early = ReceiverWindow()
    var late = ReceiverWindow()
    early.join(at: table.join(key))
    _ = table.send(marker(1), to: key, own: 0)
    late.join(at: table.join(key))
    #expect(table.show(marker(1), at: key, late.expects) == .unexpected)
    #expect(table.show(marker(1), at: key, early.expects) == .last)
  }

  @Test func whoWasAwayAtTheSendIsNotExpectedAndWhoDroppedAfterItIs() {
    var window = ReceiverWindow()
    window.join(at: table.join(key))
    _ = table.join(key)
    _ = table.send(marker(1), to: key, own: 0)
    window.leave(at: table.leave(key))
    _ = table.send(marker(2), to: key, own: 0)
    window.join(at: table.join(key))
    _ = table.send(marker(3), to: key, own: 0)
    #expect(table.show(marker(1), at: key, window.expects) == .expected)
    #expect(table.show(marker(2), at: key, window.expects) == .unexpected)
    #expect(table.show(marker(3), at: key, window.expects) == .expected)
  }

  @Test func latencyCountsFromTheIntendedSendAndTheLastReceiverCloses() {
    var figures = metrics()
    var ledger = PropagationLedger(table)
    var window = ReceiverWindow()
    window.join(at: table.join(key))
    _ = table.join(key)
    ledger.sent(marker(1, at: .seconds(1)), key: key, own: 0, at: .seconds(1.5), &figures)
    ledger.shown(marker(1, at: .seconds(1)), key: key, by: window, at: .seconds(1.6), &figures)
    #expect(figures.histogram(.propagation).max == .milliseconds(600))
    #expect(figures.histogram(.propagationLast).isEmpty)
    ledger.shown(marker(1, at: .seconds(1)), key: key, by: window, at: .seconds(1.9), &figures)
    #expect(figures.histogram(.propagationLast).max == .milliseconds(900))
    #expect(figures.total(.propagationExpected) == 2 && figures.total(.propagationSeen) == 2)
  }

  @Test func whatNeverCameIsLostWithTheTimeItWaited() {
    var figures = metrics()
    var ledger = PropagationLedger(table)
    for _ in 0..<3 { _ = table.join(key) }
    ledger.sent(marker(1), key: key, own: 0, at: .zero, &figures)
    ledger.sent(marker(2, at: .seconds(29)), key: key, own: 0, at: .seconds(29), &figures)
    ledger.sweep(at: .seconds(31), &figures)
    #expect(figures.total(.propagationLost) == 3)
    ledger.finish(at: .seconds(33), &figures)
    #expect(figures.total(.propagationLost) == 6)
    let lost = figures.histogram(.propagation)
    #expect(lost.censoredCount == 6 && lost.max == .seconds(31) && lost.min == .seconds(4))
    #expect(figures.histogram(.propagationLast).censoredCount == 2)
  }

  @Test func aFullTableFollowsNoMoreAndSaysSo() {
    _ = table.join(key)
    for sequence in 0..<2000 { _ = table.send(marker(UInt32(sequence)), to: key, own: 0) }
    #expect(table.untrackedReceivers >= 2000 - 64 && table.untrackedReceivers < 2000)
  }
}
