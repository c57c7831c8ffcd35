import Core
import JSON
import Judge
import Protocols
import Reporting

/// What a scenario wants of clauses: those that must pass, and those whose violation is excused.
struct ClausePolicy {
  /// Ids, in the order written.
  var require: [String] = []
  /// Ids with the reason why.
  var waive: [(id: String, reason: String)] = []
  var options = JudgeOptions()

  /// Decodes the section `clauses`: `{ require: [ids], waive: { id: reason }, tolerances: { … } }`.
  static func decode(_ value: LocatedValue?, _ protocolName: ProtocolName, diagnostics: Diagnostics) -> ClausePolicy {
    var policy = ClausePolicy()
    guard let value, value.kind != .invalid else { return policy }
    let section = SectionDecoder(value, what: "\"clauses\"", diagnostics: diagnostics)
    let known = Judge.catalogue(for: protocolName).map(\.id)
    for element in section.array("require") ?? [] {
      if let id = element.string, check(id, element.location, known, protocolName, diagnostics) {
        policy.require.append(id)
      } else if element.string == nil, element.kind != .invalid {
        diagnostics.error(
          at: element.location, "a clause cannot be \(element.summary)", expected: "an id such as \"OB-C1\"")
      }
    }
    for member in section.object("waive")?.members ?? [] {
      guard check(member.key, member.keyLocation, known, protocolName, diagnostics) else { continue }
      guard let reason = member.value.string, !reason.isEmpty else {
        diagnostics.error(
          at: member.value.location, "\(member.key) is waived without a reason",
          expected: "why it does not count, as text")
        continue
      }
      policy.waive.append((member.key, reason))
    }
    policy.options = JudgeOptions.decode(section.object("tolerances"), diagnostics: diagnostics)
    section.finish()
    return policy
  }

  private static func check(
    _ id: String, _ location: SourceLocation, _ known: [String], _ protocolName: ProtocolName,
    _ diagnostics: Diagnostics
  ) -> Bool {
    if known.contains(id) { return true }
    diagnostics.error(
      at: location, "there is no clause \"\(id)\" that can be judged of \(protocolName.rawValue)",
      expected: known.isEmpty
        ? "no clauses: \(protocolName.rawValue) has none" : "one of \(known.joined(separator: ", "))",
      suggestion: Core.Suggestion.nearest(to: id, among: known))
    return false
  }

  /// The findings beside what is wanted of them, in the catalogue's order.
  func lines(_ findings: [ClauseFinding]) -> [ClauseLine] {
    findings.map { finding in
      ClauseLine(
        finding: finding, isRequired: require.contains(finding.info.id),
        waived: waive.first { $0.id == finding.info.id }?.reason, isStrict: options.strict)
    }
  }
}
