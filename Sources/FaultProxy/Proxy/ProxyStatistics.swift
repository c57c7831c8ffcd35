/// What one proxy has passed and met since it started.
public struct ProxyStatistics: Equatable, Sendable {
  /// Connections accepted, whatever became of them.
  public var accepted: UInt64 = 0
  /// Connections open now.
  public var open = 0
  /// Bytes read from clients, and from the upstream.
  public var bytesUp: UInt64 = 0
  public var bytesDown: UInt64 = 0
  /// Whole data messages seen, where frames are tracked.
  public var messagesUp: UInt64 = 0
  public var messagesDown: UInt64 = 0
  /// Bytes that were no valid HTTP or WebSocket: directions that are not judged from there on.
  public var violations: UInt64 = 0
  /// Messages above the limits, which passed without being seen.
  public var unseenMessages: UInt64 = 0
  /// Why connections ended that were not ended by a peer or a fault, with how many did; by name.
  public var failures: [Failure] = []

  public struct Failure: Hashable, Sendable {
    public var name: String
    public var count: UInt64
    public init(name: String, count: UInt64) {
      self.name = name
      self.count = count
    }
  }

  public init() {}

  mutating func fail(_ name: String) {
    if let index = failures.firstIndex(where: { $0.name == name }) {
      failures[index].count += 1
    } else {
      failures.append(Failure(name: name, count: 1))
      failures.sort { $0.name < $1.name }
    }
  }

  /// Adds another loop's. Associative and commutative.
  public mutating func merge(_ other: ProxyStatistics) {
    accepted += other.accepted
    open += other.open
    bytesUp += other.bytesUp
    bytesDown += other.bytesDown
    messagesUp += other.messagesUp
    messagesDown += other.messagesDown
    violations += other.violations
    unseenMessages += other.unseenMessages
    for failure in other.failures {
      fail(failure.name)
      if let index = failures.firstIndex(where: { $0.name == failure.name }) {
        failures[index].count += failure.count - 1
      }
    }
  }
}
