import Core
import FaultProxy
import Network
import Testing
import WebSocket

@Test func aBlackholeHoldsOneDirectionAndReleasesItInOrder() throws {
  let world = ProxyWorld([.test(Blackhole(), at: 100, for: 900, direction: .up)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    try await world.sleep(until: .milliseconds(200))
    for letter in ["a", "b", "c", "d"] {
      client.write(letter)
      try await world.sleep(.milliseconds(50))
    }
    server.write("down flows")
    try await world.sleep(until: .milliseconds(999))
    #expect(server.received.isEmpty)
    #expect(client.text == "down flows")
    try await world.sleep(until: .milliseconds(1010))
    #expect(server.arrivals == [.init(bytes: 4, at: .milliseconds(1001))])
    #expect(server.text == "abcd")
  }
}

@Test func aBlackholeStopsReadingAtItsCapAndLosesNothing() throws {
  let data = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
  let world = ProxyWorld([.test(Blackhole(), at: 0, for: 5000)], capacity: 65536, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    client.write(data)
    try await world.sleep(until: .milliseconds(4900))
    #expect(client.taken == 256 * 1024 + 65536)
    #expect(server.received.isEmpty)
    try await world.sleep(until: .seconds(20))
    #expect(server.received == data)
    #expect(world.application(0).applications >= 256 * 1024)
  }
}

@Test func aResetDuringABlackholeIsNoticedAtOnceAndFollowsTheBytes() throws {
  let world = ProxyWorld([.test(Blackhole(), at: 50, for: 950, direction: .up)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 1)
    try await world.sleep(until: .milliseconds(100))
    client.write(Frames.text("last words", masked: true))
    try await world.sleep(.milliseconds(10))
    client.stream.reset()
    try await world.sleep(.milliseconds(10))
    let endings = world.seen.all.filter { if case .ended = $0.event { true } else { false } }
    #expect(endings.map(ProxyWorld.line) == ["client up ended(reset by client) [0]"])
    #expect(endings.first?.time == .milliseconds(111))
    #expect(!server.hasEnded)
    try await world.sleep(until: .milliseconds(1100))
    #expect(Frames.lines(server.received, masked: true) == ["message(last words)"])
    #expect(server.failure == .reset)
    #expect(world.proxy.statistics.open == 0)
  }
}

@Test func aResetBehindMoreThanTheCapFollowsAllTheBytes() throws {
  let data = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 3) }
  let world = ProxyWorld([.test(Blackhole(), at: 0, for: 1000, direction: .up)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    client.write(data)
    try await world.sleep(.milliseconds(100))
    #expect(client.taken == data.count)
    client.stream.reset()
    try await world.sleep(until: .milliseconds(900))
    #expect(!server.hasEnded && server.received.isEmpty)
    try await world.sleep(until: .seconds(3))
    #expect(server.received == data)
    #expect(server.failure == .reset)
  }
}

@Test func aFINDuringABlackholeFollowsTheBytes() throws {
  let world = ProxyWorld([.test(Blackhole(), at: 0, for: 1000, direction: .up)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    client.write("bye")
    client.stream.shutdownWrite()
    try await world.sleep(until: .milliseconds(900))
    #expect(!server.hasEnded)
    server.write("answer")
    try await world.sleep(until: .milliseconds(1100))
    #expect(server.text == "bye" && server.ended == .milliseconds(1001))
    #expect(client.text == "answer")
  }
}

@Test func liftingFaultsReleasesWhatIsHeldAndNothingBeginsAfterwards() throws {
  let world = ProxyWorld(
    [.test(Blackhole(), at: 0), .test(Reset(), at: 500, ordinal: 1)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    client.write("up")
    server.write("down")
    try await world.sleep(.milliseconds(100))
    #expect(server.received.isEmpty && client.received.isEmpty)
    world.proxy.liftFaults()
    try await world.sleep(.seconds(1))
    #expect(server.text == "up" && client.text == "down")
    #expect(!client.hasEnded)
    #expect(world.application(1).started == nil && world.application(1).applications == 0)
  }
}

@Test func aDiscardingBlackholeLosesEverythingAndEndsInAReset() throws {
  let world = ProxyWorld([.test(Blackhole(mode: .discarded), at: 100, for: 500)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    let idle = try await world.webSocket(client: 1)
    try await world.sleep(until: .milliseconds(200))
    let count = world.lines.count
    // More than any cap: it is read and thrown away.
    client.write(
      Frames.text("lost", masked: true) + Frames.make(.binary, .init(repeating: 7, count: 900_000), masked: true))
    server.write(Frames.text("lost too", masked: false))
    try await world.sleep(until: .milliseconds(590))
    #expect(server.received.isEmpty && client.received.isEmpty && client.unsent.isEmpty)
    #expect(!client.hasEnded && !server.hasEnded)
    let lines = world.lines(since: count)
    #expect(lines.contains("client up message(lost) dropped [0]"))
    #expect(lines.contains("upstream down message(lost too) dropped [0]"))
    #expect(lines.count == 3)
    try await world.sleep(until: .milliseconds(610))
    #expect(client.failure == .reset && client.failedAt == .milliseconds(601))
    #expect(server.failure == .reset)
    // Who lost nothing goes on.
    idle.client.write(Frames.text("still here", masked: true))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(idle.server.received, masked: true) == ["message(still here)"])
    #expect(world.application(0).clients == [0...0])
  }
}

@Test func aMessageThatHadBegunToPassIsLostWhenItsEndIsDiscarded() throws {
  let world = ProxyWorld([.test(Blackhole(mode: .discarded), at: 100, for: 500, direction: .up)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    let frame = Frames.text("in two parts", masked: true)
    client.write(frame.prefix(9))
    try await world.sleep(until: .milliseconds(200))
    let count = world.lines.count
    client.write(frame.dropFirst(9))
    client.stream.shutdownWrite()
    try await world.sleep(until: .milliseconds(300))
    #expect(server.received == Array(frame.prefix(9)) && !server.hasEnded)
    #expect(
      world.lines(since: count) == [
        "client up message(in two parts) dropped [0]", "client up ended(fin by client) [0]",
      ])
  }
}

@Test func latencyBeforeADiscardingBlackholeGivesItsBytesToIt() throws {
  let world = ProxyWorld(
    [
      .test(Latency(delay: .milliseconds(50)), at: 0, direction: .up),
      .test(Blackhole(mode: .discarded), at: 100, for: 500, direction: .up, ordinal: 1),
    ], latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    try await world.sleep(until: .milliseconds(40))
    client.write("first")
    try await world.sleep(until: .milliseconds(80))
    client.write("second")
    try await world.sleep(until: .milliseconds(590))
    #expect(server.text == "first")
    #expect(world.application(1).applications == 6)
    try await world.sleep(until: .milliseconds(610))
    #expect(server.failure == .reset && client.failure == .reset)
  }
}
