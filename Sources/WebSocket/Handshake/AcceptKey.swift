/// The proof in `Sec-WebSocket-Accept` that a server understood the handshake (RFC 6455 §4.2.2).
enum AcceptKey {
  private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /// The accept value for a `Sec-WebSocket-Key`, as both stand in the header.
  static func accept(for key: String) -> String { Base64.encode(SHA1.hash(Array((key + suffix).utf8))) }
}
