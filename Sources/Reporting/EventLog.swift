import Core
import JSON

/// One line of `events.jsonl`: something that happened in a run, for people who look for the cause.
public struct LoggedEvent: Hashable, Sendable {
  /// What it is: `fault`, `state`, `violation`, `error`, …; each kind has a cap of its own.
  public var kind: String
  public var time: Instant
  /// The loop it happened on, and its place in that loop's order; they make the order of a merged log total.
  public var loop: Int
  public var sequence: UInt64
  public var fields: JSONObject

  /// The line's JSON object, members in a fixed order: time, kind, then the fields.
  public var json: JSONValue {
    var object = JSONObject()
    object["time"] = .number(time.seconds)
    object["kind"] = .string(kind)
    for member in fields.members { object[member.key] = member.value }
    return .object(object)
  }
}

/// The events of a run, capped per kind: the first ones are kept, the others counted.
///
/// Bounded whatever the length of the run; one per loop, merged at the end.
public struct EventLog: Sendable {
  /// How many events of one kind a log keeps unless told otherwise.
  public static let defaultCap = 5_000

  private let loop: Int
  private let cap: Int
  private var nextSequence: UInt64 = 0
  private var kinds: [String] = []
  private var kept: [Int] = []
  private var left: [UInt64] = []
  private var entries: [LoggedEvent] = []

  public init(loop: Int = 0, cap: Int = defaultCap) {
    self.loop = loop
    self.cap = cap
  }

  public mutating func add(_ kind: String, at time: Instant, _ fields: JSONObject) {
    let index = slot(of: kind)
    guard kept[index] < cap else {
      left[index] += 1
      return
    }
    kept[index] += 1
    entries.append(LoggedEvent(kind: kind, time: time, loop: loop, sequence: nextSequence, fields: fields))
    nextSequence += 1
  }

  /// Counts events that were left out before they came here.
  public mutating func omit(_ kind: String, _ count: UInt64) {
    if count > 0 { left[slot(of: kind)] += count }
  }

  /// Adds another loop's events. Associative: what is kept depends only on what was added, not on the order of merging.
  public mutating func merge(_ other: EventLog) {
    for (index, kind) in other.kinds.enumerated() {
      let mine = slot(of: kind)
      kept[mine] += other.kept[index]
      left[mine] += other.left[index]
    }
    entries += other.entries
  }

  /// The events in order of time, then loop, then their order on that loop.
  public var events: [LoggedEvent] {
    entries.sorted { ($0.time, $0.loop, $0.sequence) < ($1.time, $1.loop, $1.sequence) }
  }

  /// How many events of each kind were not kept, by kind in alphabetical order; kinds without omissions are left out.
  public var omitted: [(kind: String, count: UInt64)] {
    zip(kinds, left).filter { $0.1 > 0 }.sorted { $0.0 < $1.0 }.map { (kind: $0.0, count: $0.1) }
  }

  /// `events.jsonl`: one object a line; a last line of kind `omitted` for each kind that had more than was kept.
  public var jsonLines: [UInt8] {
    var out: [UInt8] = []
    for event in events {
      event.json.write(into: &out)
      out.append(0x0A)
    }
    for (kind, count) in omitted {
      JSONValue.object(["kind": "omitted", "of": .string(kind), "count": .integer(Int64(clamping: count))])
        .write(into: &out)
      out.append(0x0A)
    }
    return out
  }

  /// The position of the first event of this kind in `jsonLines`, from 1; what a report points at.
  public func line(ofFirst kind: String, where matches: (LoggedEvent) -> Bool) -> Int? {
    events.firstIndex { $0.kind == kind && matches($0) }.map { $0 + 1 }
  }

  private mutating func slot(of kind: String) -> Int {
    if let index = kinds.firstIndex(of: kind) { return index }
    kinds.append(kind)
    kept.append(0)
    left.append(0)
    return kinds.count - 1
  }
}
