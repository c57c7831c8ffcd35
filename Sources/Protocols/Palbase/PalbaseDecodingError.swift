/// Why a payload is no palbase message: what was found, and what the protocol expects there.
public struct PalbaseDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One sentence for people; holds no values of the message, so no token either.
  public var description: String

  public init(_ description: String) { self.description = description }

  static func expected(_ what: String, of message: String) -> Self { Self("the `\(message)` message lacks \(what)") }
}
