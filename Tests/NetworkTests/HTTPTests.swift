import Core
import Network
import TestSupport
import Testing
import WebSocket

/// A server that answers with what it was asked, and counts connections.
private func echo(_ transport: any Transport) -> HTTPServer {
  HTTPServer(transport: transport) { request, responder in
    var headers = HTTPHeaders([HeaderField("X-Method", request.method), HeaderField("X-Target", request.target)])
    if request.path == "/close" { headers.append("Connection", "close") }
    responder.respond(HTTPResponse(status: 200, headers: headers, body: request.body))
  }
}

extension HTTPOrigin {
  init(_ address: SocketAddress) { self.init(.http, host: address.host, port: address.port) }
}

@Test(arguments: Medium.allCases) func requestsAreAnsweredOverOneKeptConnection(_ medium: Medium) throws {
  try medium.run { transport, address in
    let server = echo(transport)
    let origin = HTTPOrigin(try server.listen(on: address))
    let client = ByteStreamHTTPClient(transport: transport)
    for number in 0..<3 {
      let body = [UInt8](repeating: UInt8(number), count: number * 100_000)
      let response = try await client.send(
        HTTPRequest(method: "POST", target: "/a?b=\(number)", body: body), to: origin)
      #expect(response.status == 200 && response.body == body)
      #expect(response.headers.first("X-Target") == "/a?b=\(number)")
    }
    #expect(server.connectionCount == 1 && client.idleConnections(to: origin) == 1)
    _ = try await client.send(HTTPRequest(target: "/close"), to: origin)
    #expect(client.idleConnections(to: origin) == 0)
    server.close()
  }
}

@Test(arguments: Medium.allCases) func aChunkedAnswerIsPutTogether(_ medium: Medium) throws {
  try medium.run { transport, address in
    let kept = Record<RecordingStreamHandler>()
    let listener = try transport.listen(on: address) { stream in
      let handler = RecordingStreamHandler(stream)
      kept.values.append(handler)
      handler.write(
        Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n".utf8))
    }
    let client = ByteStreamHTTPClient(transport: transport)
    let response = try await client.send(HTTPRequest(), to: HTTPOrigin(listener.address))
    #expect(String(decoding: response.body, as: UTF8.self) == "abcde")
  }
}

@Test(arguments: Medium.allCases) func anAnswerThatNeverComesTimesOutAndIsCancellable(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pending = Record<HTTPResponder>()
    let server = HTTPServer(transport: transport) { pending.values.append($1) }
    let origin = HTTPOrigin(try server.listen(on: address))
    let client = ByteStreamHTTPClient(transport: transport)
    let before = transport.loop.now
    await #expect(throws: HTTPClientError.timedOut) {
      try await client.send(HTTPRequest(), to: origin, timeout: .milliseconds(30))
    }
    #expect(transport.loop.now - before >= .milliseconds(30))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: HTTPClientError.cancelled) { try await client.send(HTTPRequest(), to: origin) }
      }
      try await transport.loop.sleep(for: .milliseconds(10))
      group.cancelAll()
    }
    server.close()
  }
}

@Test func aServerThatClosedAKeptConnectionIsAskedAgain() throws {
  let world = VirtualWorld()
  try world.run {
    let server = echo(world.transport)
    let origin = HTTPOrigin(try server.listen(on: .loopback(port: 80)))
    let client = ByteStreamHTTPClient(transport: world.transport)
    _ = try await client.send(HTTPRequest(), to: origin)
    server.close()
    try server.listen(on: .loopback(port: 80))
    // The FIN is on its way and the client does not know yet.
    let again = try await client.send(HTTPRequest(), to: origin)
    #expect(again.status == 200)
  }
}

@Test func aHostIsResolvedByItsName() throws {
  let world = VirtualWorld()
  world.network.names["api.example"] = [.loopback(port: 0), .memory("second", port: 0)]
  try world.run {
    // The first address refuses, the second answers.
    let server = echo(world.transport)
    try server.listen(on: .memory("second", port: 8080))
    let client = ByteStreamHTTPClient(transport: world.transport)
    let response = try await client.send(HTTPRequest(), to: HTTPOrigin(host: "api.example", port: 8080))
    #expect(response.status == 200)
    server.close()
  }
}

@Test func idleConnectionsAreGivenUpInTime() throws {
  let world = VirtualWorld()
  try world.run {
    let server = echo(world.transport)
    let origin = HTTPOrigin(try server.listen(on: .loopback(port: 80)))
    let client = ByteStreamHTTPClient(transport: world.transport)
    _ = try await client.send(HTTPRequest(), to: origin)
    try await world.sleep(.seconds(29))
    #expect(client.idleConnections(to: origin) == 1)
    try await world.sleep(.seconds(2))
    #expect(client.idleConnections(to: origin) == 0 && server.connectionCount == 0)
  }
}

@Test func aConnectionWithoutAWholeRequestIsClosedInTime() throws {
  let world = VirtualWorld()
  try world.run {
    let server = echo(world.transport)
    let address = try server.listen(on: .loopback(port: 80))
    let slow = RecordingStreamHandler(try await world.transport.connect(to: address))
    slow.write(Array("GET / HTTP/1.1\r\nHo".utf8))
    try await slow.waitForEnd()
    #expect(world.now >= .seconds(60) && world.now < .seconds(61))
  }
}

@Test func badRequestsAreAnsweredWithWhatIsWrong() throws {
  let world = VirtualWorld()
  try world.run {
    var options = HTTPServer.Options()
    options.maxHeadBytes = 1000
    options.maxBodyBytes = 1000
    let server = HTTPServer(transport: world.transport, options: options) { $1.respond(HTTPResponse(status: 200)) }
    let address = try server.listen(on: .loopback(port: 80))
    let cases: [(String, Int)] = [
      ("NONSENSE\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
      ("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 2000))\r\n\r\n", 431),
      ("POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n\(String(repeating: "x", count: 5000))", 413),
      ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
      ("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ]
    for (request, status) in cases {
      let client = RecordingStreamHandler(try await world.transport.connect(to: address))
      client.write(Array(request.utf8))
      try await client.waitForEnd()
      #expect(client.text.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(20)): \(client.text)")
      #expect(client.events.last == .end)
      client.stream.close()
    }
  }
}

@Test func requestsSentAtOnceAreAnsweredInOrder() throws {
  let world = VirtualWorld()
  try world.run {
    let later = Record<HTTPResponder>()
    let server = HTTPServer(transport: world.transport) { request, responder in
      if request.target == "/1" {
        later.values.append(responder)
      } else {
        responder.respond(HTTPResponse(status: 200, body: Array(request.target.utf8)))
      }
    }
    let client = RecordingStreamHandler(
      try await world.transport.connect(to: server.listen(on: .loopback(port: 80))))
    let requests = (1...3).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
    client.write(Array(requests.utf8))
    try await world.sleep(.seconds(1))
    #expect(client.received.isEmpty)
    later.values.removeFirst().respond(HTTPResponse(status: 200, body: Array("/1".utf8)))
    try await client.wait { $0.text.contains("/3") }
    let places = ["/1", "/2", "/3"].map { client.text.firstRange(of: $0)?.lowerBound }
    #expect(places == places.compactMap { $0 }.sorted())
    server.close()
  }
}

@Test func aResponderThatIsDroppedAnswers500() throws {
  let world = VirtualWorld()
  try world.run {
    let server = HTTPServer(transport: world.transport) { _, _ in }
    let origin = HTTPOrigin(try server.listen(on: .loopback(port: 80)))
    let response = try await ByteStreamHTTPClient(transport: world.transport).send(HTTPRequest(), to: origin)
    #expect(response.status == 500)
  }
}

@Test func anErrorOfTheNetworkIsNamed() throws {
  let world = VirtualWorld()
  try world.run {
    let client = ByteStreamHTTPClient(transport: world.transport)
    await #expect(throws: HTTPClientError.network(.refused)) {
      try await client.send(HTTPRequest(), to: HTTPOrigin(host: "127.0.0.1", port: 9))
    }
    await #expect(throws: HTTPClientError.unsupportedScheme("https")) {
      try await client.send(HTTPRequest(), to: HTTPOrigin(.https, host: "127.0.0.1"))
    }
    let server = HTTPServer(transport: world.transport) { _, responder in responder.closeWithoutAnswer() }
    let origin = HTTPOrigin(try server.listen(on: .loopback(port: 80)))
    await #expect(throws: HTTPClientError.ended) {
      try await client.send(HTTPRequest(method: "POST"), to: origin)
    }
  }
}
