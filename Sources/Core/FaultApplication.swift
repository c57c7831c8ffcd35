/// The start, the end or one application of a fault, as the proxy logged it.
public struct FaultEdge: Hashable, Sendable {
  public enum Edge: UInt8, Sendable { case started, ended, applied }
  /// Position in the timeline.
  public var ordinal: Int
  public var edge: Edge
  public init(ordinal: Int, edge: Edge) {
    self.ordinal = ordinal
    self.edge = edge
  }
}

/// What one fault did on one loop over its whole life: what the report says of it, and what decides `not-exercised`.
public struct FaultApplication: Hashable, Sendable {
  /// Position in the timeline, from 0.
  public var ordinal: Int
  /// The scenario's name for it, or `kind#ordinal`.
  public var name: String
  /// `latency`, `reset`, …
  public var kind: String
  /// When its window opened and closed; nil where it did not.
  public var started: Instant?
  public var ended: Instant?
  /// How long it took from the start edge until the last connection was touched (faults on connections).
  public var span: Duration?
  /// Connections it touched, as closed ranges of ids, ascending and disjoint.
  public var connections: [ClosedRange<UInt64>]
  /// Clients it touched, as closed ranges of numbers, ascending and disjoint.
  public var clients: [ClosedRange<UInt32>]
  /// How many bytes, frames or connections it acted on.
  public var applications: UInt64

  public init(ordinal: Int, name: String, kind: String) {
    self.ordinal = ordinal
    self.name = name
    self.kind = kind
    connections = []
    clients = []
    applications = 0
  }

  /// Adds what the same fault did on another loop. Associative and commutative.
  public mutating func merge(_ other: FaultApplication) {
    started = [started, other.started].compactMap { $0 }.min()
    ended = [ended, other.ended].compactMap { $0 }.max()
    span = [span, other.span].compactMap { $0 }.max()
    connections = RangeList.union(connections, other.connections)
    clients = RangeList.union(clients, other.clients)
    applications += other.applications
  }
}

/// Ascending, disjoint closed ranges that grow one number at a time.
public enum RangeList {
  /// Inserts `value`; O(1) at the end, which is where new ids land.
  public static func insert<T: FixedWidthInteger>(_ value: T, into ranges: inout [ClosedRange<T>]) {
    if let last = ranges.last, value >= last.lowerBound {
      if value <= last.upperBound { return }
      if value == last.upperBound + 1 {
        ranges[ranges.count - 1] = last.lowerBound...value
      } else {
        ranges.append(value...value)
      }
      return
    }
    ranges = union(ranges, [value...value])
  }

  /// The union of two lists.
  public static func union<T: FixedWidthInteger>(_ a: [ClosedRange<T>], _ b: [ClosedRange<T>]) -> [ClosedRange<T>] {
    var result: [ClosedRange<T>] = []
    for range in (a + b).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, last.upperBound == .max || range.lowerBound <= last.upperBound + 1 {
        result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }

  /// How many numbers the ranges hold; at most `Int.max`.
  public static func count<T: FixedWidthInteger>(_ ranges: [ClosedRange<T>]) -> Int {
    ranges.reduce(0) { total, range in
      let (width, wide) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
      let (sum, overflow) = total.addingReportingOverflow(Int(clamping: width))
      return wide || overflow || sum == .max ? .max : sum + 1
    }
  }
}
