import Core
import Metrics
import Reporting

/// What clients did besides calling: calls, reconnects, backoff, herds, faults, errors, and the generator itself.
struct BehaviourLines {
  var report: RunReport

  private var metrics: MetricSet { report.record.metrics }

  var lines: [String] {
    [calls, propagation, reconnects].compactMap { $0 } + backoff + [herd].compactMap { $0 } + faults + errors + notes
      + [generator]
  }

  private func line(_ name: String, _ text: String) -> String {
    Columns.clipped(Columns.left(name, 12) + text, Columns.width - 2)
  }

  private var calls: String? {
    let book = metrics.calls()
    guard book.intended > 0 else { return nil }
    var text = "\(Columns.number(book.intended)) intended = \(Columns.number(book.answered)) answered"
    text +=
      " + \(Columns.number(book.late)) late + \(Columns.number(book.lost)) lost + \(Columns.number(book.out)) still out"
    if book.failed > 0 { text += "; \(Columns.number(book.failed)) answered with an error" }
    return line("calls", text)
  }

  private var propagation: String? {
    let expected = metrics.total(.propagationExpected)
    guard expected > 0 else { return nil }
    return line(
      "propagation",
      "\(Columns.number(expected)) expected at other subscribers, \(Columns.number(metrics.total(.propagationSeen))) seen, "
        + "\(Columns.number(metrics.total(.propagationLost))) lost")
  }

  private var reconnects: String? {
    let drops = metrics.total(.drops)
    guard drops > 0 else { return nil }
    let attempts = metrics.histogram(.attempts)
    let offline = metrics.histogram(.offline)
    var text = "\(Columns.plural(drops, "drop")) → \(Columns.number(metrics.total(.reconnects))) back"
    if let most = attempts.max {
      // Counts are kept in the histogram's base unit.
      let mean = Quantity.fixed(Self.mean(attempts), decimals: 1)
      text += most.nanoseconds == 1 ? "; one attempt each" : "; \(mean) attempts each, at most \(most.nanoseconds)"
    }
    if let last = offline.max { text += "; the last one back after \(Quantity.text(last))" }
    return line("reconnects", text)
  }

  /// The mean of a histogram of counts, from its buckets: exact for counts below 2,048.
  private static func mean(_ histogram: Histogram) -> Double {
    let sum = histogram.buckets.reduce(0.0) { $0 + Double($1.lowest.nanoseconds) * Double($1.count) }
    return sum / Double(histogram.count)
  }

  private var backoff: [String] {
    let attempts = (1...Metric.highestAttempt).filter { !metrics.histogram(.backoffObserved, attempt: $0).isEmpty }
    return attempts.prefix(6).enumerated().map { index, attempt in
      let observed = metrics.histogram(.backoffObserved, attempt: attempt)
      let scheduled = metrics.histogram(.backoffScheduled, attempt: attempt)
      var text = "attempt \(attempt)"
      if let mean = scheduled.mean { text += "   \(Quantity.text(mean)) scheduled on average" }
      if let mean = observed.mean, let low = observed.min, let high = observed.max {
        text += "   \(Quantity.text(mean)) observed (\(Quantity.text(low)) – \(Quantity.text(high)))"
      }
      text += "   \(Columns.number(observed.count))×"
      return line(index == 0 ? "backoff" : "", text)
    } + (attempts.count > 6 ? [line("", "… to attempt \(attempts[attempts.count - 1]): summary.json")] : [])
  }

  private var herd: String? {
    let first = metrics.dispersion(attempt: 1)
    guard first.total > 1, let busiest = first.busiest else { return nil }
    let share = Quantity.fixed(busiest.share * 100, decimals: 0)
    return line(
      "herd",
      "\(share) % of \(Columns.number(first.total)) first attempts within one 100 ms, "
        + "\(Quantity.text(busiest.from)) after the drop")
  }

  private var faults: [String] {
    report.record.faults.enumerated().map { index, fault in
      var text = "\(fault.name) (\(fault.kind))"
      let (from, to) = (fault.started.map(Self.second), fault.ended.map(Self.second))
      if let from { text += " from \(from) s" }
      // A moment has an end too, a few milliseconds after its beginning.
      if let to, to != from { text += " to \(to) s" }
      text +=
        fault.started == nil
        ? " did not start" : ": touched \(Columns.plural(RangeList.count(fault.clients), "client"))"
      if let span = fault.span, span > .zero { text += " within \(Quantity.text(span))" }
      return line(index == 0 ? "faults" : "", text)
    }
  }

  private static func second(_ instant: Instant) -> String { Quantity.fixed(instant.seconds, decimals: 1) }

  private var errors: [String] {
    let entries = metrics.errors.entries.sorted { ($0.count, $1.name) > ($1.count, $0.name) }
    return entries.prefix(5).enumerated().map { index, entry in
      line(index == 0 ? "errors" : "", "\(Columns.number(entry.count)) × \(entry.name)")
    } + (entries.count > 5 ? [line("", "… \(entries.count - 5) more names in summary.json")] : [])
  }

  private var notes: [String] {
    report.record.notes.enumerated().map { index, note in
      line(index == 0 ? "notes" : "", "\(Columns.number(note.count)) × \(note.name)")
    }
  }

  private var generator: String {
    if let invalid = report.generator.invalid { return line("generator", invalid) }
    if report.description.isVirtual { return line("generator", "virtual time: no lag") }
    guard let lag = report.wallClock.lagP99 else { return line("generator", "lag not measured") }
    let share = report.wallClock.seconds > 0 ? report.wallClock.cpuSeconds / report.wallClock.seconds * 100 : 0
    return line(
      "generator",
      "loop lag p99 \(Quantity.text(lag)), CPU \(Quantity.fixed(share, decimals: 0)) % of one core, "
        + "\(report.wallClock.maxResidentBytes / 1_048_576) MiB: figures can be trusted")
  }
}
