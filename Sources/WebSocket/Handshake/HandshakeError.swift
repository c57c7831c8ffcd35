/// Why an opening handshake did not end in a WebSocket connection.
public enum HandshakeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The server answered with another status than 101; its head tells why and when to come back.
  case refused(HTTPResponseHead)
  /// A 101 that is not HTTP/1.1.
  case oldVersion
  /// 101 without `Upgrade: websocket`; what stood there.
  case missingUpgrade(String?)
  /// 101 without `Connection: Upgrade`; what stood there.
  case missingConnection(String?)
  /// `Sec-WebSocket-Accept` is not the one that belongs to our key.
  case wrongAccept(expected: String, received: String?)
  /// An extension that we did not offer, as the server wrote it.
  case unexpectedExtension(String)
  /// A subprotocol that we did not offer, or more than one.
  case unexpectedSubprotocol(String)

  /// The status of a refusal.
  public var status: Int? { if case .refused(let head) = self { head.status } else { nil } }

  /// The `Retry-After` of a refusal, as written: seconds or an HTTP date.
  public var retryAfter: String? {
    if case .refused(let head) = self { head.headers.first("Retry-After") } else { nil }
  }

  public var description: String {
    switch self {
    case .refused(let head):
      "upgrade refused with \(head.status) \(head.reason), expected 101"
        + (head.headers.first("Retry-After").map { " (Retry-After: \($0))" } ?? "")
    case .oldVersion: "upgrade answered with 101 over HTTP/1.0, expected HTTP/1.1"
    case .missingUpgrade(let value): "101 with Upgrade: \(value ?? "(none)"), expected websocket"
    case .missingConnection(let value): "101 with Connection: \(value ?? "(none)"), expected Upgrade"
    case .wrongAccept(let expected, let received):
      "101 with Sec-WebSocket-Accept: \(received ?? "(none)"), expected \(expected)"
    case .unexpectedExtension(let value): "101 with Sec-WebSocket-Extensions: \(value), but none was offered"
    case .unexpectedSubprotocol(let value): "101 with Sec-WebSocket-Protocol: \(value), which was not offered"
    }
  }
}
