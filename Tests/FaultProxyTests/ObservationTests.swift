import Core
import FaultProxy
import Network
import Testing
import WebSocket

/// A situation, and what the judge is to be told of it: side, direction, what, disposition unless passed, faults.
struct Situation: Sendable, CustomTestStringConvertible {
  var name: String
  var faults: [FaultEntry] = []
  var upstream = true
  var body: @Sendable (ProxyWorld) async throws -> Void
  var expected: [String]
  var testDescription: String { name }
}

private let handshake = [
  "client up attempt", "upstream up upstreamConnected", "client up upgradeRequest(/api/sync)",
  "upstream up upgradeRequest(/api/sync)", "upstream down upgradeResponse(101)", "client down upgradeResponse(101)",
]
private let second = Duration.seconds(1)

private let situations: [Situation] = [
  Situation(
    name: "a handshake", body: { _ = try await $0.webSocket(client: 0) }, expected: handshake),
  Situation(
    name: "messages, pings and pongs both ways",
    body: { world in
      let (client, server) = try await world.webSocket(client: 0)
      client.write(Frames.text("a", masked: true) + Frames.make(.ping, [0x31], masked: true))
      try await world.sleep(second)
      server.write(Frames.make(.pong, [0x31], masked: false) + Frames.text("b", masked: false))
      try await world.sleep(second)
    },
    expected: handshake + [
      "client up message(a)", "upstream up message(a)", "client up ping(1)", "upstream up ping(1)",
      "upstream down pong(1)", "client down pong(1)", "upstream down message(b)", "client down message(b)",
    ]),
  Situation(
    name: "frames that come with the heads",
    body: { world in
      let (client, server) = try await world.pair(client: 0)
      client.write(ProxyWorld.request().serialize() + Frames.text("early", masked: true))
      try await world.sleep(second)
      server.write(ProxyWorld.response + Frames.text("at once", masked: false))
      try await world.sleep(second)
      #expect(Frames.lines(Array(server.received.suffix(11)), masked: true) == ["message(early)"])
    },
    expected: handshake.prefix(4) + ["client up message(early)", "upstream up message(early)"] + handshake.suffix(2) + [
      "upstream down message(at once)", "client down message(at once)",
    ]),
  Situation(
    name: "an upstream that refuses", upstream: false,
    body: { world in
      _ = try await world.connect(client: 0)
      try await world.sleep(second)
    },
    expected: ["client up attempt", "upstream up upstreamFailed(refused)", "client down ended(reset by proxy)"]),
  Situation(
    name: "an upgrade that the server refuses",
    body: { world in
      let (client, server) = try await world.pair(client: 0)
      client.write(ProxyWorld.request().serialize())
      try await world.sleep(second)
      server.write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy")
      server.stream.close()
      try await world.sleep(second)
    },
    expected: handshake.dropLast(2) + [
      "upstream down upgradeResponse(503)", "client down upgradeResponse(503)", "upstream down ended(fin by server)",
      "client down ended(fin by server)",
    ]),
  Situation(
    name: "a close handshake that the client begins",
    body: { world in
      let (client, server) = try await world.webSocket(client: 0)
      client.write(Frames.make(.close, FrameWriter.closePayload(code: 1000, reason: "bye"), masked: true))
      try await world.sleep(second)
      server.write(Frames.make(.close, FrameWriter.closePayload(code: 1000), masked: false))
      server.stream.shutdownWrite()
      try await world.sleep(second)
      client.stream.close()
      try await world.sleep(second)
    },
    expected: handshake + [
      "client up closeFrame(1000 bye)", "upstream up closeFrame(1000 bye)", "upstream down closeFrame(1000 )",
      "client down closeFrame(1000 )", "upstream down ended(fin by server)", "client down ended(fin by server)",
    ]),
  Situation(
    name: "a client that resets",
    body: { world in
      let (client, _) = try await world.webSocket(client: 0)
      client.stream.reset()
      try await world.sleep(second)
    }, expected: handshake + ["client up ended(reset by client)", "upstream up ended(reset by client)"]),
  Situation(
    name: "a server that resets after a last message",
    body: { world in
      let (_, server) = try await world.webSocket(client: 0)
      server.write(Frames.text("last", masked: false))
      server.stream.reset()
      try await world.sleep(second)
    },
    expected: handshake + [
      "upstream down message(last)", "client down message(last)", "upstream down ended(reset by server)",
      "client down ended(reset by server)",
    ]),
  Situation(
    name: "an invalid frame of the client: once per side, then nothing of that direction",
    body: { world in
      let (client, server) = try await world.webSocket(client: 0)
      client.write(Frames.text("unmasked", masked: false))
      client.write(Frames.text("unseen", masked: true))
      try await world.sleep(second)
      server.write(Frames.text("seen", masked: false))
      try await world.sleep(second)
    },
    expected: handshake + [
      "client up violation", "upstream up violation", "upstream down message(seen)", "client down message(seen)",
    ]),
  Situation(
    name: "a held message", faults: [.test(Latency(delay: .milliseconds(100)), at: 500, direction: .up)],
    body: { world in
      let (client, _) = try await world.webSocket(client: 0)
      try await world.sleep(second)
      client.write(Frames.text("late", masked: true))
      try await world.sleep(second)
    }, expected: handshake + ["client up message(late) delayed [0]", "upstream up message(late) delayed [0]"]),
  Situation(
    name: "a reset by a fault", faults: [.test(Reset(), at: 500)],
    body: { world in
      _ = try await world.webSocket(client: 0)
      try await world.sleep(second)
    },
    expected: handshake + ["client down ended(reset by proxy) [0]", "upstream up ended(reset by proxy) [0]"]),
  Situation(
    name: "a close by a fault", faults: [.test(Close(), at: 500)],
    body: { world in
      _ = try await world.webSocket(client: 0)
      try await world.sleep(second)
    },
    expected: handshake + ["client down ended(fin by proxy) [0]", "upstream up ended(fin by proxy) [0]"]),
  Situation(
    name: "a close frame by a fault, which the client answers",
    faults: [.test(CloseFrame(code: 1012, reason: "restart"), at: 500)],
    body: { world in
      let (client, server) = try await world.webSocket(client: 0)
      try await world.sleep(second)
      client.write(Frames.make(.close, FrameWriter.closePayload(code: 1012), masked: true))
      client.stream.shutdownWrite()
      try await world.sleep(second)
      server.write(Frames.make(.close, FrameWriter.closePayload(code: 1012), masked: false))
      server.stream.close()
      try await world.sleep(second)
    },
    expected: handshake + [
      "client down closeFrame(1012 restart) injected [0]", "client down ended(fin by proxy) [0]",
      "client up closeFrame(1012 )", "upstream up closeFrame(1012 )", "upstream up ended(fin by client)",
      "upstream down closeFrame(1012 ) dropped [0]",
    ]),
  Situation(
    name: "a connection refused at accept", faults: [.test(Refuse(), at: 0)],
    body: { world in
      _ = try await world.connect(client: 0)
      try await world.sleep(second)
    }, expected: ["client up attempt [0]", "client down ended(reset by proxy) [0]"]),
  Situation(
    name: "a swallowed pong", faults: [.test(DeadHeartbeat(), at: 500)],
    body: { world in
      let (client, server) = try await world.webSocket(client: 0)
      try await world.sleep(second)
      client.write(Frames.make(.ping, [0x31], masked: true))
      try await world.sleep(second)
      server.write(Frames.make(.pong, [0x31], masked: false))
      try await world.sleep(second)
    }, expected: handshake + ["client up ping(1)", "upstream up ping(1)", "upstream down pong(1) dropped [0]"]),
]

@Test(arguments: situations)
func eachSituationIsToldAtBothItsSides(_ situation: Situation) throws {
  let world = ProxyWorld(situation.faults)
  var lines: [String] = []
  try world.run(upstream: situation.upstream) {
    try await situation.body(world)
    #expect(world.lines == situation.expected)
  }
  lines = world.lines
  #expect(lines.count >= situation.expected.count)
}

@Test func timesAreThoseOfArrivalAndOfPassingOn() throws {
  let world = ProxyWorld([.test(Latency(delay: .milliseconds(100)), at: 1000, for: 5000, direction: .up)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 7)
    let count = world.seen.all.count
    try await world.sleep(until: .milliseconds(500))
    client.write(Frames.text("direct", masked: true))
    try await world.sleep(until: .milliseconds(2000))
    client.write(Frames.text("held", masked: true))
    try await world.sleep(until: .milliseconds(3000))
    server.write(Frames.text("down", masked: false))
    try await world.sleep(until: .milliseconds(4000))
    let times = world.seen.all.dropFirst(count).filter { $0.source == .wire }.map { [$0.time, $0.otherSideTime] }
    #expect(
      times == [
        [.milliseconds(501), .milliseconds(501)], [.milliseconds(501), .milliseconds(501)],
        [.milliseconds(2001), nil], [.milliseconds(2101), .milliseconds(2001)],
        [.milliseconds(3001), .milliseconds(3001)], [.milliseconds(3001), .milliseconds(3001)],
      ])
    #expect(world.seen.all.dropFirst(count).allSatisfy { $0.client == ClientID(7) || $0.source == .fault })
  }
}

@Test func aMessageIsToldWithItsLastByteAtEachSide() throws {
  let world = ProxyWorld([.test(Bandwidth(rate: 1000), at: 1000, direction: .down)])
  try world.run {
    let (_, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .seconds(2))
    let text = String(repeating: "x", count: 98)  // a frame of 100 bytes
    server.write(Frames.text(text, masked: false) + Frames.text(text, masked: false))
    try await world.sleep(until: .seconds(3))
    let times = world.seen.all.filter { if case .message = $0.event { true } else { false } }.map(\.time)
    #expect(times == [.milliseconds(2001), .milliseconds(2001), .milliseconds(2101), .milliseconds(2201)])
  }
}

@Test func aSlowReaderDelaysWhatTheOtherSideIsTold() throws {
  let world = ProxyWorld(capacity: 4096)
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    client.reads = false
    let count = world.lines.count
    server.write(Frames.text(String(repeating: "x", count: 6000), masked: false) + Frames.text("end", masked: false))
    try await world.sleep(.seconds(1))
    let before = world.lines(since: count).filter { $0.hasPrefix("client") }
    #expect(before.isEmpty)
    client.reads = true
    try await world.sleep(.seconds(1))
    #expect(world.lines(since: count).filter { $0.hasPrefix("client") }.last == "client down message(end) delayed")
  }
}

@Test func faultsTellTheirEdgesAndWhomTheyTouched() throws {
  let world = ProxyWorld([.test(Blackhole(), at: 100, for: 200, name: "dark"), .test(Reset(), at: 500, ordinal: 1)])
  try world.run {
    let (client, _) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(150))
    client.write(Frames.text("x", masked: true))
    try await world.sleep(until: .seconds(1))
  }
  let edges = world.seen.all.compactMap { observation -> String? in
    guard case .fault(let edge) = observation.event else { return nil }
    return "\(edge.ordinal) \(edge.edge) \(observation.connection.ordinal) \(observation.time)"
  }
  #expect(
    edges == [
      "0 started 0 0.1 s", "0 applied 1 0.151 s", "0 ended 0 0.3 s", "1 started 0 0.5 s", "1 applied 1 0.5 s",
      "1 ended 0 0.5 s",
    ])
  #expect(
    world.seen.edges == ["dark started 0.1 s", "dark ended 0.3 s", "reset#1 started 0.5 s", "reset#1 ended 0.5 s"])
}
