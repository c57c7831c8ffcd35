/// A wire protocol that obload speaks, by the name that scenarios use for it.
public enum ProtocolName: String, CaseIterable, Hashable, Sendable {
  /// The onebase sync protocol (`/api/sync`).
  case onebase
  /// A plain WebSocket echo: every data message comes back as it was sent.
  case echo
  /// Palbase realtime: Phoenix channels.
  case palbase

  /// What reads this protocol's messages, with the protocol's own names.
  public var classifier: any MessageClassifier { classifier(wire: PalbaseWire()) }

  /// What reads this protocol's messages; `wire` has the names of palbase's events.
  public func classifier(wire: PalbaseWire) -> any MessageClassifier {
    switch self {
    case .onebase: OnebaseClassifier()
    case .palbase: PalbaseClassifier(wire: wire)
    case .echo: EchoClassifier()
    }
  }
}
