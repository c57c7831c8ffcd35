import Core

/// One fault of the timeline on one loop: whether it is on, and what it has done.
final class FaultRun {
  /// Touched ids are sorted into ranges when so many have gathered.
  private static let batch = 4096

  /// What a fault and those its options are changed to have in common.
  final class Lineage {}

  let entry: FaultEntry
  let lineage: Lineage
  private(set) var isOn = false
  /// It has ended and will not begin again.
  var isOver = false
  /// How often it has begun; tells what was made for one window from the next.
  private(set) var activation = 0
  private(set) var shared: AnyObject?
  private var application: FaultApplication
  private var connections: [UInt64] = []
  private var clients: [UInt32] = []

  /// - `former`: the run whose options this one changes; what that one did counts as this one's.
  init(_ entry: FaultEntry, succeeding former: FaultRun? = nil) {
    self.entry = entry
    lineage = former?.lineage ?? Lineage()
    application =
      former?.result ?? FaultApplication(ordinal: entry.ordinal, name: entry.name, kind: entry.kind)
    application.ended = nil
  }

  func begin(at now: Instant) {
    isOn = true
    isOver = false
    activation += 1
    shared = entry.fault.makeShared()
    if application.started == nil { application.started = now }
  }

  func end(at now: Instant) {
    isOn = false
    shared = nil
    application.ended = now
  }

  /// The flip of state alone; `end` follows.
  func switchOff() { isOn = false }

  func spanned(to now: Instant) { application.span = application.started.map { now - $0 } }

  @inline(__always)
  func acted(_ count: Int) { application.applications &+= UInt64(count) }

  /// Notes whom it touched; once per connection is enough.
  func touched(_ subject: FaultTarget.Subject?) {
    if let subject { connections.append(subject.connection.rawValue) }
    touched(client: subject?.client)
    if connections.count >= Self.batch || clients.count >= Self.batch { gather() }
  }

  func touched(client: ClientID?) { if let client { clients.append(client.number) } }

  /// What it has done so far.
  var result: FaultApplication {
    gather()
    return application
  }

  private func gather() {
    application.connections = RangeList.union(application.connections, Self.ranges(&connections))
    application.clients = RangeList.union(application.clients, Self.ranges(&clients))
  }

  private static func ranges<T: FixedWidthInteger>(_ numbers: inout [T]) -> [ClosedRange<T>] {
    var ranges: [ClosedRange<T>] = []
    for number in numbers.sorted() { RangeList.insert(number, into: &ranges) }
    numbers = []
    return ranges
  }
}
