import Core
import JSON
import Judge
import Metrics
import Reporting

/// What failed, what could not be judged, and where to look.
extension ReportText {
  /// More items than these are counted and not shown.
  private static let mostProblems = 16

  /// What decides comes first: what spoils the whole run, then what failed, then what could not be judged.
  var problems: [String] {
    let own = report.reasons.filter { !isCarried($0) }
    let failed = ExitReason.Kind.failed.rawValue
    var items = own.filter { $0.kind.rawValue <= failed }.map(item)
    items += report.budgets.filter { $0.outcome == .fail }.map(item)
    items += report.clauses.filter(\.fails).map(item)
    items += own.filter { $0.kind.rawValue > failed }.map(item)
    items += unjudgedBudgets + unjudgedClauses
    items += report.clauses.filter { $0.warns && !$0.fails }.map(item)
    let shown = items.prefix(Self.mostProblems).flatMap { $0 }
    return items.count <= Self.mostProblems
      ? shown : shown + ["… \(items.count - Self.mostProblems) more: summary.json"]
  }

  private func isCarried(_ reason: ExitReason) -> Bool {
    report.budgets.contains { $0.exitReason == reason } || report.clauses.contains { $0.reason == reason }
  }

  private func item(_ reason: ExitReason) -> [String] {
    switch reason.kind {
    case .failed, .usage: item("✗", "run", reason.text, .red)
    case .interrupted: item("!", "run", reason.text, .yellow)
    case .invalidGenerator, .noVerdict: item("?", "run", reason.text, .yellow)
    }
  }

  private func item(_ budget: BudgetResult) -> [String] {
    let tail =
      budget.outcome == .noData ? "no data" : "\(budget.observed)  (\(Columns.plural(budget.samples, "sample")))"
    let isFailed = budget.outcome == .fail
    // "no data" says it already.
    let reason = budget.reason == "no samples" ? nil : budget.reason
    return item(isFailed ? "✗" : "?", "budget", budget.budget, isFailed ? .red : .yellow, tail: tail)
      + (reason.map(more) ?? [])
  }

  private func item(_ clause: ClauseLine) -> [String] {
    let finding = clause.finding
    let count = "\(Columns.number(finding.violations)) of \(Columns.number(finding.opportunities))"
    var lines = item(
      clause.fails ? "✗" : "!", "clause", "\(finding.info.id) \(finding.info.statement)", clause.fails ? .red : .yellow,
      tail: count)
    if let worst = finding.worst {
      lines += more("worst: \(place(of: worst)): \(worst.text)\(pointer(to: worst, of: finding.info.id))")
    }
    return lines
  }

  /// Who, on which connection, when.
  private func place(of evidence: Evidence) -> String {
    var place: [String] = []
    if let client = evidence.client { place.append(label(of: client)) }
    if let connection = evidence.connection { place.append("connection \(connection)") }
    return (place + ["at \(Quantity.fixed(evidence.time.seconds, decimals: 3)) s"]).joined(separator: ", ")
  }

  /// What a person calls the client: `writers-17`. Fleets number their clients one after another.
  private func label(of client: ClientID) -> String {
    var first = 0
    for fleet in report.record.fleets {
      let place = Int(client.number) - first
      if (0..<fleet.clients).contains(place) { return "\(fleet.name)-\(place)" }
      first += fleet.clients
    }
    return client.description
  }

  /// The line of `events.jsonl` that shows it with its frames, if it was kept.
  private func pointer(to evidence: Evidence, of clause: String) -> String {
    let events = report.record.events
    func isOfClause(_ event: LoggedEvent) -> Bool { event.fields["clause"]?.string == clause }
    let exact = events.line(ofFirst: "violation") { isOfClause($0) && $0.time == evidence.time }
    let line = exact ?? events.line(ofFirst: "violation", where: isOfClause)
    return line.map { " → events.jsonl:\($0)" } ?? ""
  }

  /// Budgets that are undecided or without data; in one line where the run measured nothing at all.
  private var unjudgedBudgets: [[String]] {
    let unjudged = report.budgets.filter { $0.outcome == .undecided || $0.outcome == .noData }
    guard report.record.shards.isEmpty, unjudged.count > 1 else { return unjudged.map(item) }
    return [item("?", "budget", "\(unjudged.count) without data, since nothing was measured", .yellow)]
  }

  /// Required clauses that had too little; by their ids alone where there are many.
  private var unjudgedClauses: [[String]] {
    let unjudged = report.clauses.filter(\.lacksData)
    if unjudged.count > 3 {
      let text = "\(unjudged.count) required ones had too little to judge: \(Self.ids(unjudged))"
      return [item("?", "clause", text, .yellow)]
    }
    return unjudged.map { clause in
      let finding = clause.finding
      return item(
        "?", "clause", "\(finding.info.id) \(finding.info.statement)", .yellow, tail: finding.verdict.rawValue)
        + (finding.reason.map(more) ?? [])
    }
  }

  /// `OB-C3 C5 S11`: what ids have in common is said once.
  static func ids(_ clauses: [ClauseLine]) -> String {
    var prefix: Substring = ""
    return clauses.map { clause in
      let id = clause.finding.info.id
      let own = id.prefix { $0 != "-" }
      defer { prefix = own }
      return own == prefix ? String(id.dropFirst(own.count + 1)) : id
    }.joined(separator: " ")
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
}
