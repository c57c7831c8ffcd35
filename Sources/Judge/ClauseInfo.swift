import Core

/// What the catalogue says of a clause: the same words in code, report and docs.
public struct ClauseInfo: Hashable, Sendable {
  /// Who is judged.
  public enum Side: String, Sendable { case client, server }
  /// What a violation costs: a MUST fails the run, a SHOULD only with `strict`, a REPORT never.
  public enum Level: String, Sendable { case must, should, report }
  /// What its partial results are about.
  public enum Scope: String, Sendable { case connection, client, fleet }

  /// Such as `OB-C1`; never reused.
  public var id: String
  public var side: Side
  public var level: Level
  public var scope: Scope
  /// Where its evidence comes from, in the catalogue's order.
  public var sources: [Observation.Source]
  public var statement: String

  public init(
    _ id: String, _ side: Side, _ scope: Scope, level: Level = .must, sources: [Observation.Source] = [.wire],
    _ statement: String
  ) {
    self.id = id
    self.side = side
    self.level = level
    self.scope = scope
    self.sources = sources
    self.statement = statement
  }

  /// Side, level, scope and every source but the wire, as the catalogue writes them: `C MUST client, intent`. What is
  /// seen in HTTP exchanges has no other scope.
  public var mark: String {
    if sources == [.http] { return "\(side == .client ? "C" : "S") \(level.rawValue.uppercased()) http" }
    let head = "\(side == .client ? "C" : "S") \(level.rawValue.uppercased()) \(scope.rawValue)"
    return ([head] + sources.filter { $0 != .wire }.map { "\($0)" }).joined(separator: ", ")
  }
}
