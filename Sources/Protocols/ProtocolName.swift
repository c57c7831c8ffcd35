/// A wire protocol that obload speaks, by the name that scenarios use for it.
public enum ProtocolName: String, CaseIterable, Hashable, Sendable {
  /// The onebase sync protocol (`/api/sync`).
  case onebase
  /// A plain WebSocket echo: every data message comes back as it was sent.
  case echo
  /// Palbase realtime: Phoenix channels.
  case palbase
  /// Whatever a foreign client speaks over WebSocket: judged by its connections alone.
  case websocket
  /// Phoenix channels, as any Phoenix client speaks them.
  case phoenix

  /// Whether our own clients and servers speak it; the others are judged of foreign clients only.
  public var isSpoken: Bool { self != .websocket && self != .phoenix }

  /// What reads this protocol's messages, with the protocol's own names.
  public var classifier: any MessageClassifier { classifier(wire: PalbaseWire()) }

  /// What reads this protocol's messages; `wire` has the names of palbase's events.
  public func classifier(wire: PalbaseWire) -> any MessageClassifier {
    switch self {
    case .onebase: OnebaseClassifier()
    case .palbase, .phoenix: PalbaseClassifier(wire: wire)
    case .websocket: WebSocketClassifier()
    case .echo: EchoClassifier()
    }
  }
}
