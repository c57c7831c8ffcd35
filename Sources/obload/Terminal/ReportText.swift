import Core
import Judge
import Metrics
import Reporting

/// What a person sees at the end of a run: the verdict first, then what failed, then the figures. Ten seconds to read.
struct ReportText {
  var report: RunReport
  var style: Style
  /// Where the report's files are; nil when none were written.
  var directory: String?

  private var metrics: MetricSet { report.record.metrics }

  var text: String {
    var lines = [heading, ""]
    lines += problems + held + [""]
    let figures = FigureTable(metrics: metrics).lines
    if !figures.isEmpty { lines += figures + [""] }
    let behaviour = BehaviourLines(report: report).lines
    if !behaviour.isEmpty { lines += behaviour + [""] }
    lines.append(footer)
    return lines.map { $0.isEmpty ? $0 : "  " + $0 }.joined(separator: "\n").dropFirst(2) + "\n"
  }

  /// The verdict and what failed, for `--quiet`.
  var verdict: String { ([heading] + problems).joined(separator: "\n  ") + "\n" }

  private var heading: String {
    let description = report.description
    let parts = [
      description.scenario, description.protocolName, Columns.plural(description.clients, "client"),
      Quantity.text(description.duration) + (description.isVirtual ? " (virtual)" : ""), "seed \(description.seed)",
    ]
    let verdict = "\(Self.word(report.exit))  exit \(report.exit.rawValue)"
    let head = Columns.left(
      Columns.clipped(parts.joined(separator: "   "), Columns.width - verdict.count - 2), Columns.width - verdict.count)
    return head + style.paint(verdict, report.exit == .passed ? .green : report.exit == .failed ? .red : .yellow)
  }

  static func word(_ exit: ExitCode) -> String {
    switch exit {
    case .passed: "PASS"
    case .failed: "FAIL"
    case .usage: "USAGE"
    case .noVerdict: "NO VERDICT"
    case .interrupted: "INTERRUPTED"
    }
  }

  // MARK: What failed

  private var problems: [String] {
    var lines: [String] = []
    for reason in report.reasons where !isCarried(reason) { lines += item("✗", "run", reason.text, colour(reason)) }
    for budget in report.budgets where budget.outcome != .hold {
      let mark = budget.outcome == .fail ? "✗" : "?"
      lines += item(mark, "budget", budget.budget, budget.outcome == .fail ? .red : .yellow, tail: tail(budget))
      if let reason = budget.reason { lines += more(reason) }
    }
    for clause in report.clauses where clause.fails || clause.warns {
      let finding = clause.finding
      let colour: Style.Colour = clause.fails ? .red : .yellow
      let count = "\(Columns.number(finding.violations)) of \(Columns.number(finding.opportunities))"
      lines += item(
        clause.fails ? "✗" : "!", "clause", "\(finding.info.id)  \(finding.info.statement)", colour, tail: count)
      if let worst = finding.worst {
        var place: [String] = []
        if let client = worst.client { place.append(client.description) }
        if let connection = worst.connection { place.append("connection \(connection)") }
        place.append("at \(Quantity.fixed(worst.time.seconds, decimals: 3)) s")
        lines += more("worst: \(place.joined(separator: ", ")): \(worst.text)")
      }
    }
    for clause in report.clauses where clause.lacksData {
      lines += item(
        "?", "clause", "\(clause.finding.info.id)  \(clause.finding.info.statement)", .yellow,
        tail: clause.finding.verdict.rawValue)
      if let reason = clause.finding.reason { lines += more(reason) }
    }
    return lines
  }

  private func isCarried(_ reason: ExitReason) -> Bool {
    report.budgets.contains { $0.exitReason == reason } || report.clauses.contains { $0.reason == reason }
  }

  private func colour(_ reason: ExitReason) -> Style.Colour { reason.kind == .failed ? .red : .yellow }

  private func tail(_ budget: BudgetResult) -> String {
    budget.outcome == .noData ? "no data" : "\(budget.observed)  (\(Columns.plural(budget.samples, "sample")))"
  }

  private func item(_ mark: String, _ kind: String, _ text: String, _ colour: Style.Colour, tail: String = "")
    -> [String]
  {
    let room = Columns.width - 12 - (tail.isEmpty ? 0 : tail.count + 2)
    var lines = Columns.wrapped(text, room)
    if lines.isEmpty { lines = [""] }
    let first =
      style.paint(mark, colour) + " " + Columns.left(kind, 8)
      + (tail.isEmpty ? lines[0] : Columns.left(lines[0], room + 2) + tail)
    return [first] + lines.dropFirst().map { String(repeating: " ", count: 10) + $0 }
  }

  private func more(_ text: String) -> [String] {
    Columns.wrapped(text, Columns.width - 12).map { String(repeating: " ", count: 10) + $0 }
  }

  // MARK: What held

  private var held: [String] {
    var parts: [String] = []
    let budgets = report.budgets.count { $0.outcome == .hold }
    if budgets > 0 { parts.append(style.paint("✓", .green) + " \(Columns.plural(budgets, "budget")) held") }
    let clauses = report.clauses.count { $0.finding.verdict == .pass }
    if clauses > 0 { parts.append(style.paint("✓", .green) + " \(Columns.plural(clauses, "clause")) passed") }
    let waived = report.clauses.filter { $0.waived != nil && $0.finding.verdict == .fail }
    if !waived.isEmpty {
      parts.append("· waived: \(waived.map(\.finding.info.id).joined(separator: " "))")
    }
    var lines = parts.isEmpty ? [] : [parts.joined(separator: "   ")]
    let unjudged = report.clauses.filter {
      !$0.isRequired && ($0.finding.verdict == .inconclusive || $0.finding.verdict == .notExercised)
    }
    if !unjudged.isEmpty {
      let ids = unjudged.map(\.finding.info.id).joined(separator: " ")
      lines += Columns.wrapped("· too little to judge, and not required: \(ids)", Columns.width - 4)
    }
    return lines
  }

  private var footer: String {
    let again = "run again: \(report.description.command)"
    guard let directory else { return again }
    return "\(directory)\n  \(again)"
  }
}
