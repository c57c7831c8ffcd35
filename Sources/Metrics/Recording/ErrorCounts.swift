/// Errors by name, in bounded memory: a peer that invents a new error each time fills `other`, not the memory.
public struct ErrorCounts: Hashable, Sendable {
  /// How many different names one loop keeps; a merged one can hold those of all loops.
  public static let mostNames = 64
  /// Names are cut here, in bytes of UTF-8.
  public static let longestName = 96
  /// Where errors are counted once there are too many names.
  public static let other = "other"

  public struct Entry: Hashable, Sendable {
    public var name: String
    public var count: UInt64
    public init(name: String, count: UInt64) {
      self.name = name
      self.count = count
    }
  }

  /// The names and how often each was counted, in ascending order of name.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// From a run record: what `entries` gave, in any order; names are not limited in number here.
  public init(entries: [Entry]) {
    for entry in entries {
      let name = Self.cut(entry.name)
      let (index, isThere) = place(of: name)
      add(name, entry.count, at: index, isThere: isThere)
    }
  }

  private static func cut(_ name: String) -> String {
    name.utf8.count <= longestName ? name : String(name.unicodeScalars.prefix(longestName / 4))
  }

  /// How many errors in all.
  public var total: UInt64 { entries.reduce(0) { $0.addingClamped($1.count) } }

  /// Counts an error.
  public mutating func count(_ name: String, by times: UInt64 = 1) {
    let name = Self.cut(name)
    let (index, isThere) = place(of: name)
    if isThere || entries.count < Self.mostNames || name == Self.other {
      add(name, times, at: index, isThere: isThere)
    } else {
      let (index, isThere) = place(of: Self.other)
      add(Self.other, times, at: index, isThere: isThere)
    }
  }

  /// Adds those of another loop or process, every name of it. Associative and commutative.
  public mutating func merge(_ other: ErrorCounts) {
    for entry in other.entries {
      let (index, isThere) = place(of: entry.name)
      add(entry.name, entry.count, at: index, isThere: isThere)
    }
  }

  private mutating func add(_ name: String, _ times: UInt64, at index: Int, isThere: Bool) {
    if isThere {
      entries[index].count = entries[index].count.addingClamped(times)
    } else {
      entries.insert(Entry(name: name, count: times), at: index)
    }
  }

  private func place(of name: String) -> (index: Int, isThere: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return (low, low < entries.count && entries[low].name == name)
  }
}
