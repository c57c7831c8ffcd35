import Core

/// One violation, for the run's log of events.
public struct ViolationRecord: Hashable, Sendable, Comparable {
  public var clause: String
  public var evidence: Evidence

  public init(clause: String, evidence: Evidence) {
    self.clause = clause
    self.evidence = evidence
  }

  /// By time, then by clause and connection: the order of a log.
  public static func < (a: ViolationRecord, b: ViolationRecord) -> Bool {
    if a.evidence.time != b.evidence.time { return a.evidence.time < b.evidence.time }
    if a.clause != b.clause { return a.clause < b.clause }
    let (one, two) = (a.evidence.connection?.rawValue ?? 0, b.evidence.connection?.rawValue ?? 0)
    return one != two ? one < two : a.evidence.text < b.evidence.text
  }
}

/// The earliest violations of each clause, capped; what did not fit is counted. Merging is associative.
public struct ViolationLog: Hashable, Sendable {
  /// How many violations of one clause are kept.
  public static let perClause = 20
  /// How many frames after a violation are added to it.
  static let framesAfter = 2

  public private(set) var records: [ViolationRecord] = []
  /// All violations by clause, kept or not; ordered by clause.
  private var counts: [Count] = []
  /// Records that still wait for frames.
  private var waiting: [Waiting] = []

  private struct Count: Hashable {
    var clause: String
    var total: Int
    var kept: Int
  }

  private struct Waiting: Hashable {
    var record: Int
    var connection: ConnectionID
    var left: Int
  }

  public init() {}

  /// How many violations of `clause` happened that are not among the records.
  public func omitted(_ clause: String) -> Int {
    counts.first { $0.clause == clause }.map { $0.total - $0.kept } ?? 0
  }

  /// How many violations were left out, over all clauses.
  public var omitted: Int { counts.reduce(0) { $0 + $1.total - $1.kept } }

  mutating func add(_ clause: String, _ evidence: Evidence) {
    let index = place(of: clause)
    counts[index].total += 1
    guard counts[index].kept < Self.perClause else { return }
    counts[index].kept += 1
    if let connection = evidence.connection {
      waiting.append(Waiting(record: records.count, connection: connection, left: Self.framesAfter))
    }
    records.append(ViolationRecord(clause: clause, evidence: evidence))
  }

  var isWaiting: Bool { !waiting.isEmpty }

  /// Adds a frame to the violations of its connection that wait for some.
  mutating func follow(_ message: WireMessage, at time: Instant, _ direction: Direction, _ connection: ConnectionID) {
    guard waiting.contains(where: { $0.connection == connection }) else { return }
    let excerpt = FrameExcerpt(
      time: time, direction: direction,
      text: Redaction.text(message.payload, limit: FrameTail.bytesPerFrame), length: message.payload.count)
    for index in waiting.indices.reversed() where waiting[index].connection == connection {
      records[waiting[index].record].evidence.frames.append(excerpt)
      waiting[index].left -= 1
      if waiting[index].left == 0 { waiting.remove(at: index) }
    }
  }

  mutating func stopWaiting(for connection: ConnectionID) {
    if !waiting.isEmpty { waiting.removeAll { $0.connection == connection } }
  }

  /// Adds another loop's log: the earliest of both are kept.
  public mutating func merge(_ other: ViolationLog) {
    waiting = []
    for count in other.counts { counts[place(of: count.clause)].total += count.total }
    for index in counts.indices { counts[index].kept = 0 }
    var kept: [ViolationRecord] = []
    for record in (records + other.records).sorted() {
      let index = place(of: record.clause)
      guard counts[index].kept < Self.perClause else { continue }
      counts[index].kept += 1
      kept.append(record)
    }
    records = kept
  }

  private mutating func place(of clause: String) -> Int {
    let index = counts.firstIndex { $0.clause >= clause } ?? counts.count
    if index == counts.count || counts[index].clause != clause {
      counts.insert(Count(clause: clause, total: 0, kept: 0), at: index)
    }
    return index
  }
}
