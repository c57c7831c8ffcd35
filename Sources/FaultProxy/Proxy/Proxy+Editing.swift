public import Core
import Network

/// Faults that come, change and go while the proxy runs.
extension Proxy {
  /// Makes all of these changes, in order, as one: no byte and no connection meets only some of them.
  ///
  /// - Membership is never drawn again: a fault's name decides, whatever else of it changes.
  /// - What removed faults hold goes on at once, in order, through those that stay or come.
  public func edit(_ edits: [FaultEdit]) throws(FaultEditError) {
    assert(loop.isConfined, "edited off the loop")
    var wanted = runs
    var ordinal = nextFaultOrdinal
    for edit in edits {
      switch edit {
      case .add(var entry):
        if let place = wanted.firstIndex(where: { $0.entry.name == entry.name }) {
          guard wanted[place].isOver else { throw .taken(name: entry.name) }
          wanted.remove(at: place)
        }
        try check(entry)
        entry.ordinal = ordinal
        ordinal += 1
        wanted.append(FaultRun(entry))
        try makeRoom(&wanted)
      case .change(let name, var entry):
        guard let place = wanted.firstIndex(where: { $0.entry.name == name }) else { throw .unknown(name: name) }
        if entry.name != name, wanted.contains(where: { $0.entry.name == entry.name }) {
          throw .taken(name: entry.name)
        }
        try check(entry)
        entry.ordinal = wanted[place].entry.ordinal
        wanted[place] = FaultRun(entry, succeeding: wanted[place])
      case .remove(let name):
        guard let place = wanted.firstIndex(where: { $0.entry.name == name }) else { throw .unknown(name: name) }
        wanted.remove(at: place)
      case .clear: wanted = []
      }
    }
    nextFaultOrdinal = ordinal
    schedule.adopt(wanted)
  }

  private func check(_ entry: FaultEntry) throws(FaultEditError) {
    if entry.needsFrames, !tracks { throw .untracked(kind: entry.kind) }
    if case .connection(let id) = entry.target, relay(id) == nil { throw .gone(connection: id.ordinal) }
  }

  /// Those that are over go first, the oldest before others.
  private func makeRoom(_ wanted: inout [FaultRun]) throws(FaultEditError) {
    while wanted.count > FaultTimeline.most {
      guard let place = wanted.firstIndex(where: \.isOver) else { throw .tooMany }
      wanted.remove(at: place)
    }
  }

  /// What is known of each fault now, in their order.
  public var faultStates: [FaultState] {
    runs.map { FaultState(entry: $0.entry, isOn: $0.isOn, isOver: $0.isOver, application: $0.result) }
  }

  /// The name of the next fault that is added without one.
  public func nameForNext(_ kind: String) -> String { "\(kind)#\(nextFaultOrdinal)" }
}

/// A fault of a running proxy.
public struct FaultState: Sendable {
  public var entry: FaultEntry
  public var isOn: Bool
  /// It has ended and will not begin again.
  public var isOver: Bool
  public var application: FaultApplication
}
