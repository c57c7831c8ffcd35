import Core
import FaultProxy
import Network
import Testing
import WebSocket

private func entry(
  _ fault: any Fault, _ trigger: FaultTrigger, direction: FaultDirection? = nil, ordinal: Int = 0
) -> FaultEntry {
  FaultEntry(ordinal: ordinal, trigger: trigger, direction: direction, fault: fault)
}

@Test func aFaultComesAgainAndAgain() throws {
  let world = ProxyWorld(
    [entry(Blackhole(), .every(.seconds(1), from: .milliseconds(500), for: .milliseconds(300)), direction: .up)],
    latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    for _ in 0..<40 {
      client.write("x")
      try await world.sleep(.milliseconds(100))
    }
    // Sent at 5, 105, … ms; held from 500 to 800, from 1500 to 1800, …
    let late = [Instant.milliseconds(800), .milliseconds(1800), .milliseconds(2800), .milliseconds(3800)]
    #expect(server.arrivals.filter { late.contains($0.at) }.map(\.bytes) == [3, 3, 3, 3])
    #expect(server.received.count == 40)
    #expect(world.seen.edges.count == 8)
  }
}

@Test func aResetCanComeEverySoOften() throws {
  let world = ProxyWorld([entry(Reset(), .every(.seconds(1), from: .seconds(1), for: nil))], trackFrames: false)
  try world.run {
    for round in 1...3 {
      let (client, _) = try await world.pair(client: 0)
      try await world.sleep(until: .seconds(Double(round) + 0.5))
      #expect(client.failure == .reset)
    }
    #expect(world.application(0).applications == 3)
    world.proxy.liftFaults()
    let (client, _) = try await world.pair(client: 0)
    try await world.sleep(.seconds(5))
    #expect(!client.hasEnded)
  }
}

@Test func aFaultBeginsSoLongAfterTheConnect() throws {
  let world = ProxyWorld(
    [
      entry(
        Latency(delay: .milliseconds(100)), .afterConnect(.seconds(1), from: .zero, for: .seconds(1)), direction: .up)
    ],
    latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    for time in [0.5, 1.5, 2.5] {
      try await world.sleep(until: .seconds(time))
      client.write("x")
    }
    try await world.sleep(.seconds(1))
    #expect(server.arrivals.map(\.at) == [.seconds(0.5), .seconds(1.6), .seconds(2.5)])
    #expect(world.application(0).applications == 1)
  }
}

@Test func aMomentComesOnceToEachConnection() throws {
  let world = ProxyWorld(
    [entry(Reset(), .afterConnect(.milliseconds(300), from: .zero, for: nil))], latency: .zero, trackFrames: false)
  try world.run {
    let first = try await world.connect(client: 0)
    try await world.sleep(.milliseconds(200))
    let second = try await world.connect(client: 1)
    try await world.sleep(.seconds(1))
    #expect(first.failedAt == .milliseconds(300) && second.failedAt == .milliseconds(500))
    #expect(world.application(0).clients == [0...1])
  }
}

@Test func aFaultBeginsBehindTheNthMessageThatMatches() throws {
  let match = MessageMatch(type: "call")
  let trigger = FaultTrigger.onMessage(match, nth: 2, direction: .up, from: .zero, for: .milliseconds(100))
  let world = ProxyWorld([entry(Blackhole(), trigger, direction: .both)], latency: .zero)
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    let other = try await world.webSocket(client: 1)
    let call = #"{"type":"call"}"#
    client.write(Frames.text(call, masked: true))
    server.write(Frames.text(call, masked: false))
    // The second and what is behind it in one write: the message itself goes on.
    client.write(Frames.text(call, masked: true) + Frames.text("behind", masked: true))
    let start = world.now
    try await world.sleep(.milliseconds(90))
    #expect(Frames.lines(server.received, masked: true) == ["message(\(call))", "message(\(call))"])
    other.client.write(Frames.text("flows", masked: true))
    try await world.sleep(.milliseconds(20))
    #expect(Frames.lines(other.server.received, masked: true) == ["message(flows)"])
    #expect(server.arrivals.last?.at == start + .milliseconds(100))
    #expect(Frames.lines(server.received, masked: true).last == "message(behind)")
    #expect(world.application(0).clients == [0...0])
  }
}

@Test func aResetComesBehindTheMessageThatItWaitsFor() throws {
  let trigger = FaultTrigger.onMessage(MessageMatch(), nth: 3, direction: .down, from: .zero, for: nil)
  let world = ProxyWorld([entry(Reset(), trigger)], latency: .zero)
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    for number in 1...4 { server.write(Frames.text("\(number)", masked: false)) }
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(client.received, masked: false) == ["message(1)", "message(2)", "message(3)"])
    #expect(client.failure == .reset && server.failure == .reset)
    let lines = world.lines.suffix(4)
    #expect(lines.contains("client down message(3)") && lines.last == "upstream up ended(reset by proxy) [0]")
  }
}

@Test func aControlFrameCanBeWaitedForAndAMessageFaultBegin() throws {
  let trigger = FaultTrigger.onMessage(MessageMatch(opcode: .ping), nth: 1, direction: .up, from: .zero, for: nil)
  let world = ProxyWorld([entry(DropMessage(), trigger, direction: .down)], latency: .zero)
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    server.write(Frames.text("before", masked: false))
    client.write(Frames.make(.ping, [], masked: true))
    try await world.sleep(.milliseconds(10))
    server.write(Frames.text("after", masked: false) + Frames.make(.pong, [], masked: false))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(client.received, masked: false) == ["message(before)", "pong()"])
    #expect(Frames.lines(server.received, masked: true) == ["ping()"])
  }
}

@Test func aHalfOpenConnectionOfItsOwnEndsAfterItsTime() throws {
  let world = ProxyWorld(
    [entry(HalfOpen(), .afterConnect(.milliseconds(100), from: .zero, for: .milliseconds(400)))], latency: .zero,
    trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    try await world.sleep(.seconds(1))
    #expect(server.failedAt == .milliseconds(100) && client.failedAt == .milliseconds(500))
  }
}
