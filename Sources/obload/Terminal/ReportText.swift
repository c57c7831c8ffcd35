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
      Self.text(description.duration) + (description.isVirtual ? " (virtual)" : ""), "seed \(description.seed)",
    ]
    let verdict = "\(Self.word(report.exit))  exit \(report.exit.rawValue)"
    let head = Columns.left(
      Columns.clipped(parts.joined(separator: "   "), Columns.width - verdict.count - 2), Columns.width - verdict.count)
    return head + style.paint(verdict, report.exit == .passed ? .green : report.exit == .failed ? .red : .yellow)
  }

  /// A duration as people write it: `45 s`, `4 min`.
  static func text(_ duration: Duration) -> String {
    let milliseconds = duration.nanoseconds / 1_000_000
    if milliseconds >= 120_000, milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000) min" }
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : Quantity.text(duration)
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
      let text = Columns.wrapped("too little to judge, and not required: \(Self.ids(unjudged))", Columns.width - 4)
      lines += text.enumerated().map { ($0 == 0 ? "· " : "  ") + $1 }
    }
    return lines
  }

  private var footer: String {
    let again = Self.command("run again: " + report.description.command)
    return ((directory.map { [$0] } ?? []) + again).joined(separator: "\n  ")
  }

  /// The words of a command in lines that can be pasted as they are: broken between words, not within quotes.
  static func command(_ text: String) -> [String] {
    var words: [String] = []
    var isQuoted = false
    for part in text.split(separator: " ", omittingEmptySubsequences: false) {
      if isQuoted { words[words.count - 1] += " " + part } else { words.append(String(part)) }
      if part.count(where: { $0 == "'" }) % 2 == 1 { isQuoted.toggle() }
    }
    var lines: [String] = []
    for word in words {
      if let last = lines.last, last.count + word.count + 1 <= Columns.width - 4 {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(lines.isEmpty ? word : "    " + word)
      }
    }
    return lines.enumerated().map { $0 < lines.count - 1 ? $1 + " \\" : $1 }
  }
}
