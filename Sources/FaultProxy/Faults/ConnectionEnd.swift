/// The ways in which faults end a connection.
public enum ConnectionEnd: String, CaseIterable, Hashable, Sendable {
  /// An RST both ways.
  case reset
  /// A FIN both ways, behind what is held.
  case close
  /// A close frame to the client at the next frame boundary, then a FIN.
  case closeFrame

  func apply(to connection: any FaultedConnection, _ entry: FaultEntry, code: UInt16) {
    switch self {
    case .reset: connection.reset(by: entry)
    case .close: connection.close(by: entry)
    case .closeFrame:
      var down = entry
      down.direction = .down
      connection.close(by: down, code: code, reason: "")
    }
  }
}
