import Core
import Metrics

/// Turns what budgets, clauses and the run itself say into reasons; `ExitDecision` orders them.
enum Outcome {
  static func reasons(
    beforehand: [ExitReason], generator: GeneratorRecord, budgets: [BudgetResult], clauses: [ClauseLine],
    record: RunRecord
  ) -> [ExitReason] {
    var reasons = beforehand
    if let invalid = generator.invalid { reasons.append(ExitReason(.invalidGenerator, invalid)) }
    reasons += budgets.compactMap(\.exitReason)
    reasons += clauses.compactMap(\.reason)
    let connect = record.metrics.histogram(.connect)
    if record.metrics.total(.attempts) > 0, connect.count == connect.censoredCount {
      let error = record.metrics.errors.entries.max { ($0.count, $1.name) < ($1.count, $0.name) }
      let why = error.map { ": \($0.name)" } ?? ""
      reasons.append(ExitReason(.noVerdict, "no client ever connected\(why)"))
    }
    for fault in record.faults where fault.started != nil && fault.applications == 0 {
      reasons.append(
        ExitReason(
          .noVerdict, "fault \(fault.name) (\(fault.kind)) touched no one: what it should show was not exercised"))
    }
    for note in record.notes where note.weight == .doubt {
      reasons.append(ExitReason(.noVerdict, "\(note.name): \(note.count)"))
    }
    let book = record.metrics.calls()
    if !book.isBalanced {
      reasons.append(
        ExitReason(
          .noVerdict,
          "the books of calls do not balance: \(book.intended) intended, \(book.answered) answered, \(book.late) late, "
            + "\(book.lost) lost, \(book.out) out; please report this as a mistake in obload"))
    }
    return reasons
  }
}
