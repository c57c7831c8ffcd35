/// A peer's breach of RFC 6455 or of a limit, with the code to close with.
public struct ProtocolFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// 1002 protocol error, 1007 text that is not UTF-8, 1009 too big.
  public var closeCode: UInt16
  /// What came, and what was expected.
  public var reason: String

  public init(closeCode: UInt16, reason: String) {
    self.closeCode = closeCode
    self.reason = reason
  }

  public var description: String { "WebSocket failure \(closeCode): \(reason)" }
}
