import Core
import Metrics

/// One loop's part of the propagation measurements: the mutations its clients sent, and what its subscribers showed.
struct PropagationLedger {
  /// A receiver that has not shown a mutation after this long has missed it.
  static let patience = Duration.seconds(30)

  private struct Pending {
    var ticket: PropagationTable.Ticket
    /// The intended send.
    var sent: Instant
    var deadline: Instant
  }

  private let table: PropagationTable
  /// In the order sent, which is that of the deadlines.
  private var pending: [Pending] = []
  private var first = 0

  init(_ table: PropagationTable) { self.table = table }

  mutating func sent(_ marker: Marker, key: UInt64, own: Int, at now: Instant, _ metrics: inout MetricSet) {
    sweep(at: now, &metrics)
    guard let ticket = table.send(marker, to: key, own: own) else { return }
    metrics.count(.propagationExpected, at: marker.sent, by: UInt64(ticket.expected))
    pending.append(Pending(ticket: ticket, sent: marker.sent, deadline: now + Self.patience))
  }

  func shown(
    _ marker: Marker, key: UInt64, by window: ReceiverWindow, at now: Instant, _ metrics: inout MetricSet
  ) {
    let receipt = table.show(marker, at: key, window.expects)
    guard receipt != .unexpected else { return }
    metrics.count(.propagationSeen, at: marker.sent)
    metrics.record(.propagation, now - marker.sent, intended: marker.sent)
    if receipt == .last { metrics.record(.propagationLast, now - marker.sent, intended: marker.sent) }
  }

  /// Gives up what is overdue.
  mutating func sweep(at now: Instant, _ metrics: inout MetricSet) {
    while first < pending.count, pending[first].deadline <= now || table.isDone(pending[first].ticket) {
      giveUp(pending[first], at: now, &metrics)
      first += 1
    }
    if first > 1024, first * 2 > pending.count {
      pending.removeFirst(first)
      first = 0
    }
  }

  /// The run is over: who has not shown it yet has missed it.
  mutating func finish(at now: Instant, _ metrics: inout MetricSet) {
    for one in pending[first...] { giveUp(one, at: now, &metrics) }
    pending = []
    first = 0
  }

  private func giveUp(_ one: Pending, at now: Instant, _ metrics: inout MetricSet) {
    let missing = table.giveUp(one.ticket)
    guard missing > 0 else { return }
    metrics.count(.propagationLost, at: one.sent, by: UInt64(missing))
    for _ in 0..<missing { metrics.recordAtLeast(.propagation, now - one.sent, intended: one.sent) }
    metrics.recordAtLeast(.propagationLast, now - one.sent, intended: one.sent)
  }
}
