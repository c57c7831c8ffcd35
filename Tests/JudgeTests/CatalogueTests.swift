import Core
import Foundation
import Protocols
import Testing

@testable import Judge

/// What docs/clauses.md says of clauses is what the code says.
struct CatalogueTests {
  private struct Row: Equatable {
    var id: String
    var mark: String
    var statement: String
  }

  private func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The rows of the catalogue's tables, in the order written.
  private func rows() throws -> [Row] {
    let text = try text("docs/clauses.md")
    return text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 6, cells[1].contains("-"), cells[1].first?.isUppercase == true else { return nil }
      #expect(!cells[4].isEmpty, "\(cells[1]) has no evidence")
      return Row(id: cells[1], mark: cells[2], statement: cells[3])
    }
  }

  @Test func theDocumentAndTheCodeAgree() throws {
    let written = try rows()
    var judged: [Row] = []
    for name in ProtocolName.allCases where name != .websocket {
      judged += Judge.catalogue(for: name).map { Row(id: $0.id, mark: $0.mark, statement: $0.statement) }
    }
    let known = written.filter { !$0.id.hasPrefix("PB-") }
    #expect(known.map(\.id) == judged.map(\.id))
    for (one, other) in zip(known, judged) { #expect(one == other) }
  }

  @Test func palbaseIsWrittenDownWhole() throws {
    let palbase = try rows().map(\.id).filter { $0.hasPrefix("PB-") }
    #expect(palbase == (1...13).map { "PB-C\($0)" } + (1...12).map { "PB-S\($0)" })
  }

  @Test func editorsKnowEveryClause() throws {
    let schema = try text("scenarios/scenario.schema.json")
    for info in ProtocolName.allCases.flatMap({ Judge.catalogue(for: $0) }) {
      #expect(schema.contains("\"const\": \"\(info.id)\""), "\(info.id)")
    }
  }

  @Test func idsAreUnique() {
    for name in ProtocolName.allCases {
      let ids = Judge.catalogue(for: name).map(\.id)
      #expect(Set(ids).count == ids.count, "\(name)")
    }
    let shared = Judge.catalogue(for: .phoenix).prefix(12).map(\.id)
    #expect(shared == Judge.catalogue(for: .websocket).map(\.id))
  }

  @Test func everyClauseIsNotExercisedByAnEmptyRun() {
    for name in ProtocolName.allCases {
      var judge = Judge(protocol: name)
      judge.finish(at: .zero)
      #expect(judge.findings.allSatisfy { $0.verdict == .notExercised && $0.opportunities == 0 }, "\(name)")
    }
  }
}
