import Core

/// The server's half of the opening handshake: the answer to an upgrade request (RFC 6455 §4.2).
public enum ServerHandshake {
  public enum Result: Hashable, Sendable {
    /// Send this 101; the connection then speaks WebSocket.
    case accept(HTTPResponseHead, subprotocol: String?)
    /// Send this refusal, without a body, and close.
    case reject(HTTPResponseHead, reason: String)
  }

  /// Whether a request asks for a WebSocket at all; other requests are plain HTTP.
  public static func isUpgrade(_ request: HTTPRequestHead) -> Bool {
    request.headers.containsToken("Upgrade", "websocket")
  }

  /// Answers an upgrade request. Extensions, compression among them, are declined by not being named in the answer.
  /// - Parameters:
  ///   - choose: picks one of the subprotocols offered, in the client's order; nil, or one not offered, for none.
  ///   - headers: further fields of the 101.
  public static func respond(
    to request: HTTPRequestHead, headers extra: [HeaderField] = [],
    subprotocol choose: ([String]) -> String? = { _ in nil }
  ) -> Result {
    let headers = request.headers
    guard request.method == "GET" else { return reject(400, "upgrade with \(request.method), expected GET") }
    guard request.minorVersion >= 1 else { return reject(400, "upgrade over HTTP/1.0, expected HTTP/1.1") }
    guard headers.all("Host").count == 1 else { return reject(400, "expected one Host header") }
    guard headers.containsToken("Upgrade", "websocket") else { return reject(400, "expected Upgrade: websocket") }
    guard headers.containsToken("Connection", "Upgrade") else { return reject(400, "expected Connection: Upgrade") }
    let version = headers.first("Sec-WebSocket-Version")
    guard headers.all("Sec-WebSocket-Version") == ["13"] else {
      return reject(
        426, "Sec-WebSocket-Version \(version ?? "(none)"), expected 13",
        HeaderField("Upgrade", "websocket"), HeaderField("Sec-WebSocket-Version", "13"))
    }
    let keys = headers.all("Sec-WebSocket-Key")
    guard keys.count == 1, Base64.decode(keys[0])?.count == 16 else {
      return reject(400, "expected one Sec-WebSocket-Key, of 16 bytes in Base64")
    }
    let offered = headers.tokens("Sec-WebSocket-Protocol")
    let chosen = choose(offered).flatMap { offered.contains($0) ? $0 : nil }
    var answer = HTTPHeaders([
      HeaderField("Upgrade", "websocket"), HeaderField("Connection", "Upgrade"),
      HeaderField("Sec-WebSocket-Accept", AcceptKey.accept(for: keys[0])),
    ])
    if let chosen { answer.append("Sec-WebSocket-Protocol", chosen) }
    answer.fields += extra
    return .accept(HTTPResponseHead(status: 101, headers: answer), subprotocol: chosen)
  }

  private static func reject(_ status: Int, _ reason: String, _ fields: HeaderField...) -> Result {
    // Upgrade is a hop-by-hop field, so Connection names it where it is sent (RFC 9110 §7.8).
    let connection = fields.contains { $0.name == "Upgrade" } ? "Upgrade, close" : "close"
    let common = [HeaderField("Connection", connection), HeaderField("Content-Length", "0")]
    return .reject(HTTPResponseHead(status: status, headers: HTTPHeaders(fields + common)), reason: reason)
  }
}
