import Core
import FaultProxy
import Network
import Testing

@Test func latencyIsAddedFromTheArrivalOfEachSegment() throws {
  let world = ProxyWorld([.test(Latency(delay: .milliseconds(100)), at: 0, direction: .up)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let start = world.now
    for count in 1...3 {
      client.write([UInt8](repeating: 7, count: count))
      try await world.sleep(.milliseconds(30))
    }
    server.write("down is not delayed")
    try await world.sleep(.milliseconds(300))
    var expected: [Peer.Arrival] = []
    for (count, time) in [(1, 102), (2, 132), (3, 162)] {
      expected.append(Peer.Arrival(bytes: count, at: start + .milliseconds(time)))
    }
    #expect(server.arrivals == expected)
    #expect(client.arrivals == [.init(bytes: 19, at: start + .milliseconds(92))])
    let application = world.application(0)
    #expect(application.applications == 6)
    #expect(application.connections.count == 1)
  }
}

@Test func latencyIsExactToTheNanosecond() throws {
  let world = ProxyWorld([.test(Latency(delay: .nanoseconds(50_123)), at: 0)], latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let start = world.now
    client.write("x")
    try await world.sleep(.milliseconds(1))
    #expect(server.arrivals == [.init(bytes: 1, at: start + .nanoseconds(50_123))])
  }
}

@Test func jitterNeverReordersAndStaysWithinItsBounds() throws {
  let jitter = Latency(delay: .milliseconds(100), jitter: .milliseconds(90), distribution: .uniform)
  let world = ProxyWorld([.test(jitter, at: 0, direction: .up)], latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let start = world.now
    for number in 0..<200 {
      client.write([UInt8(number)])
      try await world.sleep(.milliseconds(1))
    }
    try await world.sleep(.seconds(1))
    #expect(server.received == (0..<200).map { UInt8($0) })
    var number = 0
    for arrival in server.arrivals {
      number += arrival.bytes
      let delay = arrival.at - (start + .milliseconds(number - 1))
      #expect(delay >= .milliseconds(10) && delay <= .milliseconds(190))
    }
    #expect(Set(server.arrivals.map(\.at)).count > 10)
  }
}

@Test(arguments: [Latency.Distribution.uniform, .normal, .pareto])
func distributionsHaveTheirMeanAndFloor(_ distribution: Latency.Distribution) throws {
  let latency = Latency(delay: .milliseconds(100), jitter: .milliseconds(20), distribution: distribution)
  let world = ProxyWorld([.test(latency, at: 0, direction: .up)], latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let start = world.now
    for _ in 0..<2000 {
      client.write([1])
      try await world.sleep(.seconds(2))
    }
    let delays = server.arrivals.enumerated().map { ($1.at - (start + .seconds(2 * $0))).inSeconds }
    #expect(delays.count == 2000)
    let mean = delays.reduce(0, +) / 2000
    #expect(abs(mean - 0.1) < 0.003)
    let floor = distribution == .normal ? 0.0 : 0.08
    #expect(delays.allSatisfy { $0 >= floor })
    if distribution == .uniform { #expect(delays.allSatisfy { $0 <= 0.12 }) }
    if distribution == .pareto { #expect(delays.contains { $0 > 0.16 }) }
  }
}

@Test func latencyEndsAtOnceForWhatItHolds() throws {
  let world = ProxyWorld(
    [.test(Latency(delay: .seconds(10)), at: 100, for: 400, direction: .down)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    try await world.sleep(until: .milliseconds(300))
    server.write("held")
    try await world.sleep(until: .milliseconds(600))
    server.write("free")
    try await world.sleep(.milliseconds(10))
    #expect(client.arrivals == [.init(bytes: 4, at: .milliseconds(501)), .init(bytes: 4, at: .milliseconds(602))])
    #expect(world.seen.edges == ["latency#0 started 0.1 s", "latency#0 ended 0.5 s"])
  }
}

@Test func latencyHoldsNoMoreThanItsCap() throws {
  let world = ProxyWorld([.test(Latency(delay: .seconds(60)), at: 0, direction: .up)], trackFrames: false)
  try world.run {
    let (client, _) = try await world.pair()
    client.write([UInt8](repeating: 1, count: 3_000_000))
    try await world.sleep(.seconds(30))
    #expect(client.taken <= 1024 * 1024 + 65536)
    #expect(client.taken >= 1024 * 1024)
  }
}
