import Core
import JSON
import Judge
import Protocols

/// `obload clauses`: what can be judged, clause by clause, with the tolerances that hold unless a scenario sets others.
enum ClausesCommand: Command {
  static let spec = CommandSpec(
    name: "clauses", summary: "Print the clauses that runs are judged by.", arguments: ["[PROTOCOL]"],
    options: [OptionSpec("--json", nil, "print the catalogue as JSON")],
    examples: ["obload clauses", "obload clauses phoenix", "obload clauses onebase --json"])

  static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
    let protocols = try protocols(arguments.positionals.first)
    if arguments.has("--json") {
      Output.print(JSONValue.array(protocols.flatMap { name in findings(name).map { json($0, name) } }).prettyText())
    } else {
      Output.print(protocols.map(text).joined(separator: "\n\n"))
    }
    return .passed
  }

  /// The protocol that is named, or every one that has clauses.
  private static func protocols(_ name: String?) throws(UsageError) -> [ProtocolName] {
    guard let name else { return ProtocolName.allCases.filter { !findings($0).isEmpty } }
    if let known = ProtocolName(rawValue: name) { return [known] }
    let names = ProtocolName.allCases.map(\.rawValue)
    let hint = Suggestion.nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
    throw UsageError("there is no protocol \"\(name)\": expected one of \(names.joined(separator: ", "))\(hint)")
  }

  /// The findings of a run that saw nothing: every clause, with the tolerance it would use.
  private static func findings(_ name: ProtocolName) -> [ClauseFinding] { Judge(protocol: name).findings }

  static func text(_ name: ProtocolName) -> String {
    let findings = findings(name)
    guard !findings.isEmpty else { return "\(name.rawValue): no clauses are judged yet" }
    let ids = (findings.map(\.info.id.count).max() ?? 0) + 2
    let marks = (findings.map(\.info.mark.count).max() ?? 0) + 2
    var lines = ["\(name.rawValue): \(Columns.plural(findings.count, "clause"))"]
    for finding in findings {
      let head = "  " + Columns.left(finding.info.id, ids) + Columns.left(finding.info.mark, marks)
      let indent = String(repeating: " ", count: head.count)
      lines += wrapped(finding.info.statement, first: head, rest: indent)
      if !finding.tolerance.isEmpty { lines += wrapped(finding.tolerance, first: indent + "- ", rest: indent + "  ") }
    }
    return lines.joined(separator: "\n")
  }

  /// Breaks a text between words, so that lines keep within the width.
  private static func wrapped(_ text: String, first: String, rest: String) -> [String] {
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(separator: " ") {
      if !isEmpty, line.count + word.count + 1 > Columns.width {
        lines.append(line)
        line = rest
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }

  private static func json(_ finding: ClauseFinding, _ name: ProtocolName) -> JSONValue {
    let info = finding.info
    return [
      "protocol": .string(name.rawValue), "id": .string(info.id), "side": .string(info.side.rawValue),
      "level": .string(info.level.rawValue), "scope": .string(info.scope.rawValue),
      "sources": .array(info.sources.map { .string("\($0)") }), "statement": .string(info.statement),
      "tolerance": .string(finding.tolerance),
    ]
  }
}
