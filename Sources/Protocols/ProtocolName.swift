/// A wire protocol that obload speaks, by the name that scenarios use for it.
public enum ProtocolName: String, CaseIterable, Hashable, Sendable {
  /// The onebase sync protocol (`/api/sync`).
  case onebase
  /// A plain WebSocket echo: every data message comes back as it was sent.
  case echo

  /// What reads this protocol's messages.
  public var classifier: any MessageClassifier {
    switch self {
    case .onebase: OnebaseClassifier()
    case .echo: EchoClassifier()
    }
  }
}
