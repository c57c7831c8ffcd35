/// How often something happened to each client: one small number per client, from which the distribution over clients
/// is made at the end ("reconnects per client max <= 3").
public struct ClientCounts: Hashable, Sendable {
  /// Per client number its count plus one; 0 for a client that was not started. Saturates.
  private var marks: [UInt32]

  /// Room for the clients numbered 0 to `clients` - 1: 4 bytes each. Numbers beyond are ignored.
  public init(clients: Int) { marks = [UInt32](repeating: 0, count: max(0, clients)) }

  /// From a run record: what `counts` gave.
  public init(counts: [UInt32?]) { marks = counts.map { $0.map { Self.sum($0, 1) } ?? 0 } }

  /// Per client number its count; nil for a client that did not take part.
  public var counts: [UInt32?] { marks.map { $0 > 0 ? $0 - 1 : nil } }

  /// The client takes part: it counts in the distribution, with 0 until something happens to it.
  public mutating func start(_ client: UInt32) {
    if Int(client) < marks.count, marks[Int(client)] == 0 { marks[Int(client)] = 1 }
  }

  /// It happened to the client once more (or `times` more).
  public mutating func count(_ client: UInt32, by times: UInt32 = 1) {
    guard Int(client) < marks.count else { return }
    marks[Int(client)] = Self.sum(max(marks[Int(client)], 1), times)
  }

  /// Nil for a client that did not take part.
  public subscript(client: UInt32) -> UInt32? {
    Int(client) < marks.count && marks[Int(client)] > 0 ? marks[Int(client)] - 1 : nil
  }

  /// How many clients take part.
  public var started: Int { marks.count { $0 > 0 } }

  /// The counts over all clients that took part.
  public var distribution: Histogram {
    var histogram = Histogram()
    for mark in marks where mark > 0 { histogram.record(nanoseconds: Int64(mark - 1)) }
    return histogram
  }

  /// Adds the counts of another loop or process. Associative and commutative.
  public mutating func merge(_ other: ClientCounts) {
    if other.marks.count > marks.count { marks += Array(repeating: 0, count: other.marks.count - marks.count) }
    for (client, mark) in other.marks.enumerated() where mark > 0 {
      marks[client] = marks[client] == 0 ? mark : Self.sum(marks[client], mark - 1)
    }
  }

  private static func sum(_ a: UInt32, _ b: UInt32) -> UInt32 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }
}
