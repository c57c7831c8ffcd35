import Core
import Judge
import Metrics

/// What one fleet did, on one loop or over all of them.
public struct FleetRecord: Hashable, Sendable {
  public var name: String
  public var clients: Int
  /// Clients that were started.
  public var started: Int
  /// Connected, and on their way back, when the run ended.
  public var connectedAtEnd: Int
  public var reconnectingAtEnd: Int
  public var messagesIn: UInt64
  public var messagesOut: UInt64
  public var errors: UInt64

  public init(
    name: String, clients: Int, started: Int = 0, connectedAtEnd: Int = 0, reconnectingAtEnd: Int = 0,
    messagesIn: UInt64 = 0, messagesOut: UInt64 = 0, errors: UInt64 = 0
  ) {
    self.name = name
    self.clients = clients
    self.started = started
    self.connectedAtEnd = connectedAtEnd
    self.reconnectingAtEnd = reconnectingAtEnd
    self.messagesIn = messagesIn
    self.messagesOut = messagesOut
    self.errors = errors
  }

  public mutating func merge(_ other: FleetRecord) {
    clients += other.clients
    started += other.started
    connectedAtEnd += other.connectedAtEnd
    reconnectingAtEnd += other.reconnectingAtEnd
    messagesIn += other.messagesIn
    messagesOut += other.messagesOut
    errors += other.errors
  }
}

/// One loop's (later: one worker's) part of the run: what makes a missing part visible.
public struct ShardRecord: Hashable, Sendable {
  public var index: Int
  public var clients: Int
  /// Connections the shard's proxy accepted.
  public var accepted: UInt64
  /// Whether everything wanted was live and quiet before the audit.
  public var settled: Bool

  public init(index: Int, clients: Int, accepted: UInt64, settled: Bool) {
    self.index = index
    self.clients = clients
    self.accepted = accepted
    self.settled = settled
  }
}

/// Everything measured and judged in a run, in a form that parts of a run can be added up from.
///
/// `merge` is associative: loops now, worker processes later. Nothing here depends on the machine's speed.
public struct RunRecord: Sendable {
  public var metrics: MetricSet
  /// Nil when the run was not judged.
  public var judge: Judge?
  /// By ordinal in the timeline.
  public var faults: [FaultApplication]
  /// In the order of the scenario.
  public var fleets: [FleetRecord]
  /// By index.
  public var shards: [ShardRecord]
  public var events: EventLog
  /// In alphabetical order.
  public var notes: [RunNote]

  public init(
    metrics: MetricSet, judge: Judge?, faults: [FaultApplication], fleets: [FleetRecord], shards: [ShardRecord],
    events: EventLog, notes: [RunNote] = []
  ) {
    self.metrics = metrics
    self.judge = judge
    self.faults = faults
    self.fleets = fleets
    self.shards = shards
    self.events = events
    self.notes = RunNote.merged(notes)
  }

  /// Adds another part of the same run: the same scenario, other clients.
  public mutating func merge(_ other: RunRecord) throws(MetricMergeError) {
    try metrics.merge(other.metrics)
    if let theirs = other.judge {
      if judge == nil { judge = theirs } else { judge?.merge(theirs) }
    }
    for fault in other.faults {
      if let index = faults.firstIndex(where: { $0.ordinal == fault.ordinal }) {
        faults[index].merge(fault)
      } else {
        faults.append(fault)
      }
    }
    faults.sort { $0.ordinal < $1.ordinal }
    for fleet in other.fleets {
      if let index = fleets.firstIndex(where: { $0.name == fleet.name }) {
        fleets[index].merge(fleet)
      } else {
        fleets.append(fleet)
      }
    }
    shards = (shards + other.shards).sorted { $0.index < $1.index }
    events.merge(other.events)
    notes = RunNote.merged(notes + other.notes)
  }
}
