import Core
import FaultProxy
import Network
import Testing

@Test func bytesComeAtTheRateOfTheLine() throws {
  let world = ProxyWorld([.test(Bandwidth(rate: 1000), at: 0, direction: .up)], latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let start = world.now
    client.write([UInt8](repeating: 1, count: 500))
    try await world.sleep(.milliseconds(255))
    #expect(server.received.count == 250)
    // The line is busy: what comes now waits its turn.
    client.write([UInt8](repeating: 2, count: 7))
    try await world.sleep(.seconds(10))
    #expect(server.received.count == 507)
    #expect(server.arrivals.last?.at == start + .milliseconds(507))
    // Idle time is not saved up.
    let later = world.now
    client.write([3, 3, 3])
    try await world.sleep(.seconds(1))
    #expect(server.arrivals.last == .init(bytes: 3, at: later + .milliseconds(3)))
  }
}

@Test func aRateThatDividesUnevenlyIsNeverEarlyAndAddsUpNoError() throws {
  let world = ProxyWorld([.test(Bandwidth(rate: 3), at: 0, direction: .down)], latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let start = world.now
    server.write([UInt8](repeating: 1, count: 300))
    try await world.sleep(.seconds(200))
    #expect(client.arrivals.first?.at == start + .nanoseconds(333_333_334))
    #expect(client.arrivals.last?.at == start + .seconds(100))
  }
}

@Test func eachDirectionHasALineOfItsOwn() throws {
  let world = ProxyWorld([.test(Bandwidth(rate: 100), at: 0)], latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let start = world.now
    client.write([UInt8](repeating: 1, count: 100))
    server.write([UInt8](repeating: 1, count: 50))
    try await world.sleep(.seconds(2))
    #expect(server.arrivals.last?.at == start + .seconds(1))
    #expect(client.arrivals.last?.at == start + .milliseconds(500))
  }
}

@Test func latencyThenBandwidthAddUpInTheOrderWritten() throws {
  let world = ProxyWorld(
    [
      .test(Latency(delay: .milliseconds(100)), at: 0, direction: .up),
      .test(Bandwidth(rate: 1000), at: 0, direction: .up, ordinal: 1),
    ], latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let start = world.now
    client.write([UInt8](repeating: 1, count: 10))
    try await world.sleep(.seconds(1))
    #expect(server.arrivals == [.init(bytes: 10, at: start + .milliseconds(110))])
  }
}

@Test func aSharedLineCarriesTheBytesOfAllItHits() throws {
  let world = ProxyWorld(
    [.test(Bandwidth(rate: 1000, shared: true), at: 0, direction: .up)], latency: .zero, trackFrames: false)
  try world.run {
    let (first, firstServer) = try await world.pair()
    let (second, secondServer) = try await world.pair()
    let start = world.now
    first.write([UInt8](repeating: 1, count: 1000))
    second.write([UInt8](repeating: 2, count: 1000))
    try await world.sleep(.milliseconds(1001))
    // A thousand bytes of both in a second, and neither has to wait for the other's end.
    #expect((990...1000).contains(firstServer.received.count + secondServer.received.count))
    #expect(firstServer.received.count > 300 && secondServer.received.count > 300)
    try await world.sleep(.seconds(2))
    #expect(firstServer.received.count == 1000 && secondServer.received.count == 1000)
    let last = [firstServer, secondServer].compactMap { $0.arrivals.last?.at }.max()
    #expect(last == start + .seconds(2))
  }
}
