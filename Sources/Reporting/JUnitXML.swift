import Core
import Judge
import Metrics

/// `junit.xml`: one test case per budget and per clause, for the test page of a CI system.
public enum JUnitXML {
  public static func text(_ report: RunReport) -> String {
    let budgets = report.budgets.map(budgetCase)
    let clauses = report.clauses.map(clauseCase)
    var runs: [Case] = []
    // Reasons that no budget or clause carries: interrupted, unreachable, an invalid generator.
    for reason in report.reasons where !isCarried(reason, by: report) {
      runs.append(Case(group: "run", name: SummaryJSON.name(reason.kind), problem: .error(reason.text)))
    }
    let cases = budgets + clauses + runs
    let failures = cases.count { $0.problem?.isFailure == true }
    let errors = cases.count { $0.problem?.isError == true }
    let skipped = cases.count { $0.problem?.isSkip == true }
    var out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let name = escape(report.description.scenario)
    let time = Quantity.fixed(report.description.duration.inSeconds, decimals: 3)
    out += "<testsuites name=\"obload\" tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\">\n"
    out += "  <testsuite name=\"\(name)\" tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    out += " skipped=\"\(skipped)\" time=\"\(time)\">\n"
    for test in cases { out += test.xml(scenario: name) }
    return out + "  </testsuite>\n</testsuites>\n"
  }

  private static func isCarried(_ reason: ExitReason, by report: RunReport) -> Bool {
    report.budgets.contains { $0.exitReason == reason } || report.clauses.contains { $0.reason == reason }
  }

  private static func budgetCase(_ result: BudgetResult) -> Case {
    let seen = "observed \(result.observed) (\(result.samples) samples)"
    let problem: Case.Problem? =
      switch result.outcome {
      case .hold: nil
      case .fail: .failure(seen)
      case .undecided, .noData: .error("\(result.outcome.rawValue): \(result.reason ?? seen)")
      }
    return Case(group: "budgets", name: result.budget, problem: problem)
  }

  private static func clauseCase(_ line: ClauseLine) -> Case {
    let finding = line.finding
    let name = "\(finding.info.id) \(finding.info.statement)"
    let problem: Case.Problem?
    if line.fails {
      problem = .failure("\(finding.violations) violations of \(finding.opportunities); \(finding.worst?.text ?? "")")
    } else if line.lacksData {
      problem = .error("\(finding.verdict.rawValue): \(finding.reason ?? "too little to judge")")
    } else if let waived = line.waived, finding.verdict == .fail {
      problem = .skipped("waived: \(waived)")
    } else if finding.verdict == .pass || finding.info.level == .report {
      problem = nil
    } else {
      problem = .skipped("\(finding.verdict.rawValue)\(finding.reason.map { ": \($0)" } ?? "")")
    }
    return Case(group: "clauses", name: name, problem: problem)
  }

  private struct Case {
    enum Problem {
      case failure(String), error(String), skipped(String)
      var isFailure: Bool { if case .failure = self { true } else { false } }
      var isError: Bool { if case .error = self { true } else { false } }
      var isSkip: Bool { if case .skipped = self { true } else { false } }
    }
    var group: String
    var name: String
    var problem: Problem?

    func xml(scenario: String) -> String {
      let head = "    <testcase classname=\"\(scenario).\(group)\" name=\"\(escape(name))\""
      let inside: String
      switch problem {
      case nil: return head + "/>\n"
      case .failure(let text): inside = "<failure message=\"\(escape(text))\"/>"
      case .error(let text): inside = "<error message=\"\(escape(text))\"/>"
      case .skipped(let text): inside = "<skipped message=\"\(escape(text))\"/>"
      }
      return head + ">\n      \(inside)\n    </testcase>\n"
    }
  }

  /// Escapes for an attribute; characters that XML 1.0 cannot hold become U+FFFD.
  public static func escape(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "\n": out += "&#10;"
      case "\t": out += "&#9;"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": out += "\u{FFFD}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
