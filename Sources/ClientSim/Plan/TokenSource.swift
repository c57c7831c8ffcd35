import Core

/// Where a fleet's credentials come from. Never prints one.
public enum TokenSource: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  /// Anonymous.
  case none
  /// The same for every client; from the environment or a file.
  case secret(String)
  /// One per client, for embedded servers: `ok-{client}`.
  case template(Template)

  /// The token of a client.
  public func token(of client: ClientID, seed: UInt64) -> String? {
    switch self {
    case .none: return nil
    case .secret(let secret): return secret
    case .template(let template):
      var random = SeededRandom(seed: seed, purpose: .arguments, subject: 2 << 32 | UInt64(client.number))
      return template.text(for: client, &random)
    }
  }

  public var description: String {
    switch self {
    case .none: "no token"
    case .secret: "a token (not shown)"
    case .template: "a token per client (not shown)"
    }
  }
  public var debugDescription: String { description }
}
