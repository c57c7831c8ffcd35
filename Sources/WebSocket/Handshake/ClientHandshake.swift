import Core

/// The client's half of the opening handshake: the request to send, and the judgement of its answer (RFC 6455 §4.1).
public struct ClientHandshake: Sendable {
  /// The head to send.
  public let request: HTTPRequestHead

  /// - Parameters:
  ///   - host: the value of `Host`: name, and port unless it is the scheme's default.
  ///   - target: path and query; `/` if empty.
  ///   - subprotocols: offered in this order; no field is sent for none.
  ///   - headers: sent after ours; one with the name of ours takes its place, so that a client can misbehave on purpose.
  ///   - key: 16 random bytes; fewer are filled up with zeros, more are cut.
  public init(
    host: String, target: String, subprotocols: [String] = [], headers extra: [HeaderField] = [], key: [UInt8]
  ) {
    let nonce = Array((key + [UInt8](repeating: 0, count: 16)).prefix(16))
    var headers = HTTPHeaders([
      HeaderField("Host", host), HeaderField("Upgrade", "websocket"), HeaderField("Connection", "Upgrade"),
      HeaderField("Sec-WebSocket-Key", Base64.encode(nonce)), HeaderField("Sec-WebSocket-Version", "13"),
    ])
    if !subprotocols.isEmpty { headers.append("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")) }
    let own = headers
    for field in extra where own.first(field.name) != nil { headers.remove(field.name) }
    headers.fields += extra
    request = HTTPRequestHead(method: "GET", target: target.isEmpty ? "/" : target, headers: headers)
  }

  /// The same with a key drawn from `random` (purpose: `handshakeKey`).
  public init(
    host: String, target: String, subprotocols: [String] = [], headers: [HeaderField] = [],
    random: inout SeededRandom
  ) {
    var key: [UInt8] = []
    for _ in 0..<2 {
      let word = random.next()
      for shift in 0..<8 { key.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * shift))) }
    }
    self.init(host: host, target: target, subprotocols: subprotocols, headers: headers, key: key)
  }

  /// Judges the server's answer.
  /// - Returns: the subprotocol the server chose, if it chose one.
  /// - Throws: `refused` for any status but 101, else what is wrong with the 101.
  @discardableResult
  public func validate(_ response: HTTPResponseHead) throws(HandshakeError) -> String? {
    guard response.status == 101 else { throw .refused(response) }
    guard response.minorVersion >= 1 else { throw .oldVersion }
    let headers = response.headers
    guard headers.containsToken("Upgrade", "websocket") else { throw .missingUpgrade(headers.first("Upgrade")) }
    guard headers.containsToken("Connection", "Upgrade") else { throw .missingConnection(headers.first("Connection")) }
    let expected = AcceptKey.accept(for: request.headers.first("Sec-WebSocket-Key") ?? "")
    guard headers.all("Sec-WebSocket-Accept") == [expected] else {
      throw .wrongAccept(expected: expected, received: headers.first("Sec-WebSocket-Accept"))
    }
    // We know no extension, so none may be agreed on, whatever extra headers offered.
    let extensions = headers.tokens("Sec-WebSocket-Extensions")
    guard extensions.isEmpty else { throw .unexpectedExtension(extensions.joined(separator: ", ")) }
    let chosen = headers.all("Sec-WebSocket-Protocol")
    guard let name = chosen.first else { return nil }
    guard chosen.count == 1, request.headers.tokens("Sec-WebSocket-Protocol").contains(name) else {
      throw .unexpectedSubprotocol(chosen.joined(separator: ", "))
    }
    return name
  }
}
