import Core
import Network

/// The audit: what live subscriptions show, beside fresh queries.
extension FleetRunner {
  /// Asks afresh for each distinct subscription that is live on this loop, outside the metrics, and gives what it finds
  /// to `observe`: one answer per live subscription of each client, of which the first per distinct subscription carries
  /// the missing and repeated markers.
  ///
  /// Confirmed markers are looked for where the subscription's `audit` names a query that shows all data. Call it once the
  /// run has settled; it takes `limit` at most, and what is not answered by then counts as failed.
  public func audit(within limit: Duration = .seconds(10)) async -> AuditSummary {
    let auditor = Auditor(auditSubjects(), runTag: configuration.runTag, loop: loop)
    self.auditor = auditor
    do throws(CancellationError) { try await auditor.run(within: limit) } catch {}
    self.auditor = nil
    var summary = AuditSummary()
    summary.forgotten = confirmed.forgotten
    let now = loop.now
    for subject in auditor.subjects { report(subject, at: now, &summary) }
    return summary
  }

  private func auditSubjects() -> [Auditor.Subject] {
    var subjects: [Auditor.Subject] = []
    var places: [UInt64: Int] = [:]
    for client in clients where client.condition.link == .connected {
      for shown in client.shownValues {
        let place: Int
        if let known = places[shown.key] {
          place = known
        } else {
          place = subjects.count
          places[shown.key] = place
          subjects.append(subject(shown, client))
        }
        subjects[place].shown.append((client.id, shown.value?.canonicalHash))
      }
    }
    return subjects
  }

  private func subject(_ shown: ShownValue, _ client: ClientRunner) -> Auditor.Subject {
    var subject = Auditor.Subject(
      key: shown.key, path: shown.path, arguments: shown.arguments, client: client)
    if let plan = client.plan.subscriptions.first(where: { $0.path == shown.path && $0.audit != nil }) {
      // Nothing is drawn: what an audit asks for is the same each time.
      var random = SeededRandom(seed: seed, purpose: .arguments)
      subject.scan = plan.audit
      subject.scanArguments = Array((plan.audit?.arguments?.text(for: client.id, &random) ?? shown.arguments).utf8)
    }
    return subject
  }

  private func report(_ subject: Auditor.Subject, at now: Instant, _ summary: inout AuditSummary) {
    summary.subscriptions += 1
    if subject.fresh == nil { summary.failed += 1 }
    var missing: [Marker] = []
    if subject.isScanned {
      let wanted = confirmed.markers(key: subject.key)
      summary.confirmed += wanted.count
      missing = wanted.filter { subject.counts[$0.key] == nil }
    }
    summary.missing += missing.count
    summary.repeated += subject.repeated.count
    for (index, shown) in subject.shown.enumerated() {
      summary.compared += 1
      if let fresh = subject.fresh, fresh != shown.hash { summary.different += 1 }
      let answer = AuditAnswer(
        subscription: "\(subject.path) \(subject.arguments)", shown: shown.hash, fresh: subject.fresh,
        missing: index == 0 ? missing : [], repeated: index == 0 ? subject.repeated : [])
      observe(.audit(answer), source: .audit, of: shown.client, at: now)
    }
  }
}
