/// One change to the faults of a running proxy. Faults are known by their names.
public enum FaultEdit: Sendable {
  /// At the end of those there are. Its trigger counts from now. One of the same name that is over makes room.
  case add(FaultEntry)
  /// Other options, target or trigger for the one of this name, in its place. What it holds is scheduled anew.
  case change(name: String, FaultEntry)
  case remove(name: String)
  /// All of them.
  case clear
}

/// Why faults were not changed; then none was.
public enum FaultEditError: Error, Equatable, Sendable, CustomStringConvertible {
  case unknown(name: String)
  case taken(name: String)
  /// A fault of this kind must see frames, and the proxy does not follow them.
  case untracked(kind: String)
  case tooMany
  /// The connection that a fault was meant for.
  case gone(connection: UInt64)

  public var description: String {
    switch self {
    case .unknown(let name): "there is no fault \"\(name)\""
    case .taken(let name): "there is a fault \"\(name)\" already"
    case .untracked(let kind): "\"\(kind)\" must see frames, which this proxy does not follow; start it with --frames"
    case .tooMany: "\(FaultTimeline.most) faults are there, and no more are taken"
    case .gone(let connection): "connection \(connection) is not open"
    }
  }
}
