import Core
import Testing

@testable import WebSocket

@Suite struct HandshakeTests {
  // RFC 6455 §1.2 and §1.3.
  let client = ClientHandshake(
    host: "server.example.com", target: "/chat", subprotocols: ["chat", "superchat"],
    headers: [HeaderField("Origin", "http://example.com")], key: bytes("the sample nonce"))
  func answer(_ change: (inout HTTPResponseHead) -> Void = { _ in }) -> HTTPResponseHead {
    var head = HTTPResponseHead(
      status: 101,
      headers: HTTPHeaders([
        HeaderField("Upgrade", "websocket"), HeaderField("Connection", "Upgrade"),
        HeaderField("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        HeaderField("Sec-WebSocket-Protocol", "chat"),
      ]))
    change(&head)
    return head
  }

  @Test func theClientSendsTheRequestOfTheRFC() {
    #expect(
      String(decoding: client.request.serialize(), as: UTF8.self) == """
        GET /chat HTTP/1.1\r
        Host: server.example.com\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Protocol: chat, superchat\r
        Origin: http://example.com\r
        \r

        """)
  }

  @Test func theServerAnswersAsInTheRFCAndTheClientAgrees() throws {
    let result = ServerHandshake.respond(to: client.request) { $0.contains("chat") ? "chat" : nil }
    #expect(result == .accept(answer(), subprotocol: "chat"))
    #expect(try client.validate(answer()) == "chat")
  }

  @Test func aClientThatOffersNoSubprotocolSendsNoField() throws {
    let plain = ClientHandshake(host: "a", target: "", key: [])
    #expect(plain.request.headers.first("Sec-WebSocket-Protocol") == nil)
    #expect(plain.request.target == "/")
    guard case .accept(let head, nil) = ServerHandshake.respond(to: plain.request, subprotocol: { _ in "chat" }) else {
      return #expect(Bool(false), "not accepted")
    }
    #expect(try plain.validate(head) == nil)
  }

  @Test func keysComeFromTheSeed() {
    var a = SeededRandom(seed: 1, purpose: .handshakeKey)
    var b = a
    let first = ClientHandshake(host: "a", target: "/", random: &a)
    #expect(first.request == ClientHandshake(host: "a", target: "/", random: &b).request)
    #expect(first.request != ClientHandshake(host: "a", target: "/", random: &a).request)
    #expect(first.request.headers.first("Sec-WebSocket-Key").flatMap(Base64.decode)?.count == 16)
  }

  @Test func anExtraHeaderTakesThePlaceOfOneOfOurs() {
    let odd = ClientHandshake(host: "a", target: "/", headers: [HeaderField("host", "b")], key: [])
    #expect(odd.request.headers.all("Host") == ["b"])
  }

  @Test func aRefusalKeepsStatusAndHeaders() {
    let head = HTTPResponseHead(status: 429, headers: HTTPHeaders([HeaderField("Retry-After", "12")]))
    #expect(throws: HandshakeError.refused(head)) { try client.validate(head) }
    let error = HandshakeError.refused(head)
    #expect(error.status == 429)
    #expect(error.retryAfter == "12")
    #expect(error.description == "upgrade refused with 429 Too Many Requests, expected 101 (Retry-After: 12)")
    #expect(HandshakeError.oldVersion.retryAfter == nil)
  }

  @Test func theClientRefusesABad101() {
    func check(_ expected: HandshakeError, _ change: (inout HTTPResponseHead) -> Void) {
      #expect(throws: expected) { try client.validate(answer(change)) }
    }
    let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    check(.oldVersion) { $0.minorVersion = 0 }
    check(.missingUpgrade(nil)) { $0.headers.remove("Upgrade") }
    check(.missingUpgrade("h2c")) { $0.headers.set("Upgrade", "h2c") }
    check(.missingConnection("keep-alive")) { $0.headers.set("Connection", "keep-alive") }
    check(.wrongAccept(expected: accept, received: nil)) { $0.headers.remove("Sec-WebSocket-Accept") }
    check(.wrongAccept(expected: accept, received: "x")) { $0.headers.set("Sec-WebSocket-Accept", "x") }
    check(.wrongAccept(expected: accept, received: accept)) { $0.headers.append("Sec-WebSocket-Accept", accept) }
    check(.unexpectedExtension("permessage-deflate")) {
      $0.headers.append("Sec-WebSocket-Extensions", "permessage-deflate")
    }
    check(.unexpectedSubprotocol("other")) { $0.headers.set("Sec-WebSocket-Protocol", "other") }
    check(.unexpectedSubprotocol("chat, superchat")) { $0.headers.append("Sec-WebSocket-Protocol", "superchat") }
  }

  @Test func theServerDeclinesCompressionByNotNamingIt() {
    var request = client.request
    request.headers.append("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits")
    guard case .accept(let head, _) = ServerHandshake.respond(to: request) else {
      return #expect(Bool(false), "not accepted")
    }
    #expect(head.headers.first("Sec-WebSocket-Extensions") == nil)
    #expect(head.headers.first("Sec-WebSocket-Protocol") == nil)
  }

  @Test func theServerRefusesWhatIsNoUpgrade() {
    func status(_ change: (inout HTTPRequestHead) -> Void) -> Int? {
      var request = client.request
      change(&request)
      guard case .reject(let head, let reason) = ServerHandshake.respond(to: request) else { return nil }
      return reason.isEmpty ? nil : head.status
    }
    #expect(status { $0.method = "POST" } == 400)
    #expect(status { $0.minorVersion = 0 } == 400)
    #expect(status { $0.headers.remove("Host") } == 400)
    #expect(status { $0.headers.append("Host", "other") } == 400)
    #expect(status { $0.headers.remove("Upgrade") } == 400)
    #expect(status { $0.headers.set("Connection", "close") } == 400)
    #expect(status { $0.headers.remove("Sec-WebSocket-Key") } == 400)
    #expect(status { $0.headers.set("Sec-WebSocket-Key", "c2hvcnQ=") } == 400)
    #expect(status { $0.headers.append("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==") } == 400)
    #expect(status { $0.headers.set("Sec-WebSocket-Version", "8") } == 426)
    #expect(status { $0.headers.remove("Sec-WebSocket-Version") } == 426)
    #expect(status { $0.headers.set("Connection", "keep-alive, Upgrade") } == nil)
  }

  @Test func anotherVersionIsToldOurs() {
    var request = client.request
    request.headers.set("Sec-WebSocket-Version", "8")
    guard case .reject(let head, let reason) = ServerHandshake.respond(to: request) else {
      return #expect(Bool(false), "accepted")
    }
    #expect(head.status == 426)
    #expect(head.headers.first("Sec-WebSocket-Version") == "13")
    #expect(reason == "Sec-WebSocket-Version 8, expected 13")
  }

  @Test func anUpgradeIsToldFromAPlainRequest() {
    #expect(ServerHandshake.isUpgrade(client.request))
    #expect(!ServerHandshake.isUpgrade(HTTPRequestHead(method: "GET", target: "/")))
  }
}
