/// What a query reads and a mutation writes: a part of a table that changes as one.
public struct StoreKey: Hashable, Sendable, CustomStringConvertible {
  public enum Table: String, Hashable, Sendable { case notes, counters }
  public var table: Table
  /// The room of notes, or the counter's name.
  public var name: String

  public init(_ table: Table, _ name: String) {
    self.table = table
    self.name = name
  }

  public var description: String { "\(table.rawValue) \"\(name)\"" }
}
