import Core
import FaultProxy
import Network
import TestSupport
import Testing
import WebSocket

@Test func bytesPassBothWaysWithoutAddedTime() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let sent = world.now
    client.write("hello")
    try await world.sleep(.milliseconds(10))
    #expect(server.text == "hello")
    #expect(server.arrivals == [.init(bytes: 5, at: sent + .milliseconds(2))])
    server.write("back")
    try await world.sleep(.milliseconds(10))
    #expect(client.text == "back")
    let statistics = world.proxy.statistics
    #expect(statistics.accepted == 1 && statistics.open == 1)
    #expect(statistics.bytesUp == 5 && statistics.bytesDown == 4)
  }
}

@Test func halfClosesAreRelayedAndTheConnectionEndsWithTheSecond() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    client.write("last")
    client.stream.shutdownWrite()
    try await world.sleep(.milliseconds(10))
    #expect(server.text == "last" && server.ended != nil)
    server.write("still here")
    try await world.sleep(.milliseconds(10))
    #expect(client.text == "still here" && client.ended == nil)
    #expect(world.proxy.statistics.open == 1)
    server.stream.close()
    try await world.sleep(.milliseconds(10))
    #expect(client.ended != nil && client.failure == nil)
    #expect(world.proxy.statistics.open == 0)
  }
}

@Test func aResetOfOneSideResetsTheOther() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let first = try await world.pair()
    first.client.stream.reset()
    let second = try await world.pair()
    second.server.stream.reset()
    try await world.sleep(.milliseconds(10))
    #expect(first.server.failure == .reset)
    #expect(second.client.failure == .reset)
    #expect(world.proxy.statistics.open == 0)
  }
}

@Test func aSlowReaderSlowsTheWriterAndLosesNothing() throws {
  let world = ProxyWorld(capacity: 16384, trackFrames: false)
  let data = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
  try world.run {
    let (client, server) = try await world.pair()
    server.reads = false
    client.write(data)
    try await world.sleep(.seconds(10))
    // Two pipes of 16 KiB, and one read that the sink had no room for.
    #expect(client.taken <= 3 * 16384)
    server.reads = true
    try await world.sleep(.seconds(10))
    #expect(server.received == data)
  }
}

@Test func anUpstreamThatIsDownResetsTheClientAndSaysWhy() throws {
  let world = ProxyWorld()
  try world.run(upstream: false) {
    let client = try await world.connect()
    try await world.sleep(.milliseconds(10))
    #expect(client.failure == .reset)
    #expect(
      world.lines == ["client up attempt", "upstream up upstreamFailed(refused)", "client down ended(reset by proxy)"])
    #expect(world.proxy.statistics.failures == [.init(name: "upstream refused", count: 1)])
  }
}

@Test func garbageInsteadOfAnUpgradePassesUnjudged() throws {
  let world = ProxyWorld()
  try world.run {
    let (client, server) = try await world.pair()
    client.write("\u{1}\u{2}garbage\r\n\r\n")
    try await world.sleep(.milliseconds(10))
    server.write("pardon?")
    try await world.sleep(.milliseconds(10))
    client.write("more")
    try await world.sleep(.milliseconds(10))
    #expect(server.text == "\u{1}\u{2}garbage\r\n\r\nmore")
    #expect(client.text == "pardon?")
    #expect(world.lines.filter { $0.contains("violation") } == ["client up violation", "upstream up violation"])
    #expect(world.proxy.statistics.violations == 1)
  }
}

@Test func aHeadAboveTheCapEndsTheConnectionWithAReason() throws {
  let world = ProxyWorld()
  try world.run {
    let (client, server) = try await world.pair()
    client.write("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 1_000_000))
    try await world.sleep(.seconds(1))
    #expect(client.failure == .reset && server.failure == .reset)
    #expect(server.received.isEmpty)
    #expect(world.proxy.statistics.failures == [.init(name: "HTTP head too large", count: 1)])
    #expect(world.lines.contains("client up violation"))
    let next = try await world.webSocket()
    #expect(!next.client.hasEnded)
  }
}

@Test func aFrameThatClaimsTooMuchIsAViolationAndPasses() throws {
  let world = ProxyWorld()
  try world.run {
    let (client, server) = try await world.webSocket()
    let frame: [UInt8] = [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5]
    client.write(frame)
    try await world.sleep(.milliseconds(10))
    #expect(server.received == frame)
    server.write(Frames.text("still judged", masked: false))
    try await world.sleep(.milliseconds(10))
    #expect(
      world.lines.suffix(4) == [
        "client up violation", "upstream up violation", "upstream down message(still judged)",
        "client down message(still judged)",
      ])
  }
}

@Test func aMessageAboveTheLimitPassesUnseen() throws {
  let world = ProxyWorld { $0.caps.message = WebSocketLimits(maxMessageBytes: 1000) }
  try world.run {
    let (client, server) = try await world.webSocket()
    let large = Frames.text(String(repeating: "x", count: 5000), masked: true)
    client.write(large + Frames.text("small", masked: true))
    try await world.sleep(.milliseconds(10))
    #expect(server.received.count == large.count + 11)
    #expect(world.lines.last == "upstream up message(small)")
    #expect(world.proxy.statistics.unseenMessages == 1 && world.proxy.statistics.violations == 0)
  }
}

@Test func compressionIsNotOfferedOn() throws {
  let world = ProxyWorld()
  try world.run {
    let (client, server) = try await world.pair()
    let offer = HeaderField("Sec-WebSocket-Extensions", "permessage-deflate")
    client.write(ProxyWorld.request([offer]).serialize())
    try await world.sleep(.milliseconds(10))
    #expect(server.text == String(decoding: ProxyWorld.request().serialize(), as: UTF8.self))
    let requests = world.seen.all.compactMap { observation -> (Side, Int)? in
      guard case .upgradeRequest(let request) = observation.event else { return nil }
      #expect(observation.disposition == .edited)
      return (observation.side, request.headers.count)
    }
    #expect(requests.map(\.0) == [.client, .upstream])
    #expect(requests[0].1 == requests[1].1 + 1)
  }
}

@Test func plainHTTPPassesUnjudged() throws {
  let world = ProxyWorld()
  try world.run {
    let (client, server) = try await world.pair()
    client.write("GET /health HTTP/1.1\r\nHost: server\r\n\r\n")
    try await world.sleep(.milliseconds(10))
    server.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    try await world.sleep(.milliseconds(10))
    #expect(client.text.hasSuffix("ok"))
    #expect(!world.lines.contains { $0.contains("violation") })
  }
}

@Test func withoutAnObserverNothingIsPutTogether() throws {
  let world = ProxyWorld(observes: false)
  try world.run {
    let (client, server) = try await world.webSocket(client: 3)
    client.write(Frames.text("hello", masked: true))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(server.received, masked: true) == ["message(hello)"])
    #expect(world.proxy.statistics.messagesUp == 1)
    #expect(world.seen.all.isEmpty)
  }
}

@Test func theUpstreamMayBeReachedByAnotherTransport() throws {
  let world = VirtualWorld()
  let elsewhere = MemoryNetwork(loop: world.loop, seed: 2)
  let transport = MemoryTransport(network: elsewhere)
  try world.run {
    var configuration = ProxyConfiguration(upstream: ProxyWorld.upstreamAddress, listen: ProxyWorld.proxyAddress)
    configuration.trackFrames = false
    let proxy = Proxy(transport: world.transport, configuration: configuration, upstreamTransport: transport)
    let servers = Accepted()
    let listener = try transport.listen(on: ProxyWorld.upstreamAddress) { servers.peers.append(Peer($0)) }
    try proxy.start()
    let client = Peer(try await world.transport.connect(to: ProxyWorld.proxyAddress))
    client.write("through")
    try await world.sleep(.milliseconds(10))
    #expect(servers.peers.map(\.text) == ["through"])
    proxy.close()
    listener.close()
  }
}

/// @unchecked: confined to its loop.
private final class Accepted: @unchecked Sendable { var peers: [Peer] = [] }

@Test func statisticsOfLoopsAddUp() {
  var first = ProxyStatistics()
  first.accepted = 3
  first.bytesUp = 10
  first.failures = [.init(name: "a", count: 2), .init(name: "c", count: 1)]
  var second = ProxyStatistics()
  second.accepted = 4
  second.violations = 1
  second.failures = [.init(name: "b", count: 5), .init(name: "c", count: 7)]
  var sum = first
  sum.merge(second)
  #expect(sum.accepted == 7 && sum.bytesUp == 10 && sum.violations == 1)
  #expect(sum.failures == [.init(name: "a", count: 2), .init(name: "b", count: 5), .init(name: "c", count: 8)])
  second.merge(first)
  #expect(second == sum)
}
