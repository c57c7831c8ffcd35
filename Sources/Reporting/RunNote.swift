/// Something about the run itself that nobody should have to look for: what was not seen, left out or not followed, and
/// why connections ended that neither a peer nor a fault ended.
public struct RunNote: Hashable, Sendable {
  public enum Weight: String, Hashable, Sendable {
    /// Told, and costs nothing.
    case told
    /// What is missing may have decided: no verdict.
    case doubt
  }

  /// One phrase: what was counted.
  public var name: String
  public var count: UInt64
  public var weight: Weight

  public init(_ name: String, _ count: UInt64, _ weight: Weight = .told) {
    self.name = name
    self.count = count
    self.weight = weight
  }

  /// Adds up notes of the same name; alphabetical, so that the order of merging does not show. Zero counts are left out.
  static func merged(_ notes: [RunNote]) -> [RunNote] {
    var result: [RunNote] = []
    for note in notes where note.count > 0 {
      if let index = result.firstIndex(where: { $0.name == note.name }) {
        result[index].count += note.count
      } else {
        result.append(note)
      }
    }
    return result.sorted { $0.name < $1.name }
  }
}
