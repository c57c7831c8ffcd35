import FaultProxy
import Foundation
import Testing

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

private func text(_ path: String) throws -> String {
  try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
}

/// That the examples themselves are right is shown where scenarios are read.
@Test(arguments: FaultRegistry.definitions.map(\.kind))
func everyFaultHasAnExampleARowAndASchema(_ kind: String) throws {
  #expect(try text("scenarios/faults/\(kind).json5").contains("fault: \"\(kind)\""))
  #expect(try text("docs/faults.md").contains("\n| `\(kind)` |"))
  let schema = try text("scenarios/scenario.schema.json")
  #expect(schema.contains("\"const\": \"\(kind)\"") && schema.contains("\"$ref\": \"#/$defs/\(kind)\""))
  #expect(try text("Tests/peers/fault_peer.py").contains("def \(kind)("))
}
