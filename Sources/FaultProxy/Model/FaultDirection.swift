public import Core

/// Which way of a connection a fault acts on.
public enum FaultDirection: String, CaseIterable, Hashable, Sendable {
  /// From the client to the server.
  case up
  /// From the server to the client.
  case down
  case both

  @inlinable public func contains(_ direction: Direction) -> Bool {
    switch self {
    case .both: true
    case .up: direction == .up
    case .down: direction == .down
    }
  }
}
