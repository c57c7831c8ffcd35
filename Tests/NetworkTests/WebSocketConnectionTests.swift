import Core
import Network
import TestSupport
import Testing
import WebSocket

@Test(arguments: Medium.allCases) func messagesTravelBothWays(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await WebSocketPair.make(transport, address)
    guard case .opened(let head)? = pair.clientEvents.events.first else {
      Issue.record("not opened: \(pair.clientEvents.events)")
      return
    }
    #expect(head.status == 101 && pair.client.subprotocol == "one" && pair.server.subprotocol == "one")
    #expect(pair.client.isOpen && pair.server.isOpen)
    pair.client.send(text: "hello")
    pair.client.send(text: Array("there".utf8))
    try await pair.serverEvents.wait(texts: 2)
    #expect(pair.serverEvents.texts == ["hello", "there"])
    let long = String(repeating: "x", count: 300_000)
    pair.server.send(encodedFrame: WebSocketMachine.encodeServerText(Array(long.utf8)))
    try await pair.clientEvents.wait(texts: 1)
    #expect(pair.clientEvents.texts == [long])
    pair.client.abort()
    try await pair.clientEvents.waitForClose()
  }
}

@Test(arguments: Medium.allCases) func aCloseHandshakeEndsBothSidesOnce(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await WebSocketPair.make(transport, address)
    pair.client.send(text: "last")
    pair.client.close(code: 1000, reason: "done")
    #expect(!pair.client.isOpen && !pair.client.send(text: "too late"))
    let client = try await pair.clientEvents.waitForClose()
    let server = try await pair.serverEvents.waitForClose()
    #expect(pair.serverEvents.texts == ["last"])
    #expect(
      server
        == WebSocketClosure(
          ending: .fin, byUs: false, closeFrame: .init(code: 1000, reason: "done"), sentCode: 1000))
    #expect(
      client
        == WebSocketClosure(ending: .fin, byUs: true, closeFrame: .init(code: 1000, reason: ""), sentCode: 1000))
    try await transport.loop.sleep(for: .milliseconds(20))
    #expect(pair.clientEvents.events.filter { if case .closed = $0 { true } else { false } }.count == 1)
  }
}

@Test(arguments: Medium.allCases) func aServersCloseFrameReachesTheClient(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await WebSocketPair.make(transport, address)
    pair.server.close(code: 1012, reason: "restart")
    let client = try await pair.clientEvents.waitForClose()
    #expect(client.closeFrame == .init(code: 1012, reason: "restart"))
    #expect(!client.byUs && client.ending == .fin && client.failure == nil)
    let server = try await pair.serverEvents.waitForClose()
    #expect(server.byUs && server.failure == nil)
  }
}

@Test(arguments: Medium.allCases) func interimAnswersBeforeARefusalArePassedOver(_ medium: Medium) throws {
  try medium.run { transport, address in
    var accepted: ByteStream?
    let listener = try transport.listen(on: address) { stream in
      accepted = stream
      let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      _ = try? stream.write(Array((interim + interim + "HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n").utf8))
    }
    let events = RecordingWebSocketHandler(loop: transport.loop)
    _ = try await WebSocketPair.dial(transport, listener.address, handler: events)
    let closure = try await events.waitForClose()
    guard case .handshake(let error)? = closure.failure else {
      Issue.record("\(events.events)")
      return
    }
    #expect(error.status == 429)
    accepted?.close()
    listener.close()
  }
}

@Test(arguments: Medium.allCases) func aRefusedUpgradeShowsStatusAndHeaders(_ medium: Medium) throws {
  try medium.run { transport, address in
    let http = HTTPServer(transport: transport) { _, responder in
      responder.respond(
        HTTPResponse(
          status: 429, headers: HTTPHeaders([HeaderField("Retry-After", "7")]), body: Array("slow down".utf8)))
    }
    let events = RecordingWebSocketHandler(loop: transport.loop)
    _ = try await WebSocketPair.dial(transport, http.listen(on: address), handler: events)
    let closure = try await events.waitForClose()
    guard case .refused(let head)? = events.events.first, case .handshake(let error)? = closure.failure else {
      Issue.record("\(events.events)")
      return
    }
    #expect(events.events.count == 2)
    #expect(head.status == 429 && head.headers.first("Retry-After") == "7")
    #expect(error.status == 429 && error.retryAfter == "7")
  }
}

@Test(arguments: Medium.allCases) func anAbortIsAResetForThePeer(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await WebSocketPair.make(transport, address)
    pair.client.abort()
    #expect(pair.clientEvents.closure == nil, "told through the loop, not from inside the call")
    let server = try await pair.serverEvents.waitForClose()
    #expect(server == WebSocketClosure(ending: .reset, byUs: false))
    let client = try await pair.clientEvents.waitForClose()
    #expect(client == WebSocketClosure(ending: .reset, byUs: true))
  }
}

@Test(arguments: Medium.allCases) func aClaimOf100MegabytesIsClosedWith1009(_ medium: Medium) throws {
  try medium.run { transport, address in
    var options = WebSocketOptions()
    options.limits = WebSocketLimits(maxMessageBytes: 1 << 20)
    let pair = try await WebSocketPair.make(transport, address, server: options)
    var frame: [UInt8] = []
    FrameHeader(opcode: .binary, mask: 1, payloadLength: 100_000_000).write(into: &frame)
    pair.client.send(raw: frame)
    pair.client.send(raw: [UInt8](repeating: 0, count: 1 << 20))
    let server = try await pair.serverEvents.waitForClose()
    guard case .violation(let failure)? = server.failure else {
      Issue.record("\(server)")
      return
    }
    #expect(failure.closeCode == 1009 && server.sentCode == 1009 && server.byUs)
    let client = try await pair.clientEvents.waitForClose()
    #expect(client.closeFrame?.code == 1009)
  }
}

@Test func pingsAreAnsweredUnlessSwitchedOff() throws {
  let world = VirtualWorld()
  try world.run {
    let pair = try await WebSocketPair.make(world.transport, .loopback(port: 80))
    pair.client.ping([1, 2])
    try await pair.clientEvents.wait { if case .pong([1, 2])? = $0.events.last { true } else { false } }
    pair.server.repliesToPing = false
    pair.client.ping([3])
    // A fence: what follows the ping has arrived and been answered, so a pong would have come before.
    pair.serverEvents.onEvent = { connection, event in
      if case .message = event { connection.send(text: "fence") }
    }
    pair.client.send(text: "fence")
    try await pair.clientEvents.wait(texts: 1)
    #expect(pair.clientEvents.events.count == 3)
    pair.server.pong([3])
    try await pair.clientEvents.wait { if case .pong([3])? = $0.events.last { true } else { false } }
    pair.client.abort()
  }
}

@Test func aPeerThatNeverAnswersTheHandshakeOrTheCloseTimesOut() throws {
  let world = VirtualWorld()
  try world.run {
    let streams = Record<ByteStream>()
    let listener = try world.transport.listen(on: .loopback(port: 80)) { streams.values.append($0) }
    let events = RecordingWebSocketHandler(loop: world.loop)
    let before = world.now + .milliseconds(2)
    _ = try await WebSocketPair.dial(world.transport, listener.address, handler: events)
    let closure = try await events.waitForClose()
    #expect(closure == WebSocketClosure(ending: .timeout, byUs: true, failure: .handshakeTimeout))
    #expect(world.now - before == .seconds(10))

    let pair = try await WebSocketPair.make(world.transport, .loopback(port: 81))
    pair.server.repliesToClose = false
    let asked = world.now
    pair.client.close()
    let timedOut = try await pair.clientEvents.waitForClose()
    #expect(timedOut.failure == .closeTimeout && timedOut.ending == .timeout && timedOut.byUs)
    #expect(world.now - asked == .seconds(5))
  }
}

@Test func aPeerThatDoesNotReadFailsAtTheQueuesLimit() throws {
  let world = VirtualWorld(capacity: 10_000)
  try world.run {
    var options = WebSocketOptions()
    options.sendQueueLimit = 100_000
    options.sendQueueLowMark = 20_000
    let pair = try await WebSocketPair.make(world.transport, .loopback(port: 80), server: options)
    pair.client.pauseReading()
    let frame = WebSocketMachine.encodeServerText([UInt8](repeating: 97, count: 996))  // 1,000 bytes on the wire
    for _ in 0..<50 { pair.server.send(encodedFrame: frame) }
    #expect(pair.server.queuedBytes == 40_000)
    pair.client.resumeReading()
    try await pair.serverEvents.wait { if case .writable? = $0.events.last { true } else { false } }
    #expect(pair.server.queuedBytes <= 20_000)
    try await pair.clientEvents.wait(texts: 50)
    pair.client.pauseReading()
    for _ in 0..<200 { pair.server.send(encodedFrame: frame) }
    let closure = try await pair.serverEvents.waitForClose()
    #expect(closure == WebSocketClosure(ending: .reset, byUs: true, failure: .sendQueueFull(limit: 100_000)))
    try await pair.clientEvents.waitForClose()
    #expect(pair.clientEvents.closure?.ending == .reset)
  }
}

@Test func anAnswerThatIsNotAWebSocketsNamesWhatIsWrong() throws {
  let world = VirtualWorld()
  try world.run {
    let answers: [(String, (WebSocketClosure.Failure?) -> Bool)] = [
      ("SSH-2.0-OpenSSH\r\n\r\n", { if case .malformedAnswer? = $0 { true } else { false } }),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", { if case .handshake? = $0 { true } else { false } }),
      (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        { if case .handshake(.wrongAccept)? = $0 { true } else { false } }
      ),
      ("", { $0 == .endedInHandshake }),
    ]
    for (port, (answer, isExpected)) in answers.enumerated() {
      let streams = Record<ByteStream>()
      let listener = try world.transport.listen(on: .loopback(port: UInt16(port + 1))) { stream in
        _ = try? stream.write(Array(answer.utf8))
        stream.shutdownWrite()
        streams.values.append(stream)
      }
      let events = RecordingWebSocketHandler(loop: world.loop)
      _ = try await WebSocketPair.dial(world.transport, listener.address, handler: events)
      let closure = try await events.waitForClose()
      #expect(isExpected(closure.failure), "\(closure)")
    }
  }
}

@Test func framesBehindTheHandshakeAreNotLost() throws {
  let world = VirtualWorld()
  try world.run {
    let serverEvents = RecordingWebSocketHandler(loop: world.loop)
    let http = HTTPServer(transport: world.transport) { _, responder in
      // In one write with the 101, so that the client reads both at once.
      responder.upgrade(handler: serverEvents)?.send(text: "welcome")
    }
    let events = RecordingWebSocketHandler(loop: world.loop)
    let address = try http.listen(on: .loopback(port: 80))
    let connection = try await WebSocketPair.dial(world.transport, address, handler: events)
    connection.send(raw: [0x81, 0x82, 0, 0, 0, 0, 104, 105])
    try await events.wait(texts: 1)
    try await serverEvents.wait(texts: 1)
    #expect(events.texts == ["welcome"] && serverEvents.texts == ["hi"])
  }
}
