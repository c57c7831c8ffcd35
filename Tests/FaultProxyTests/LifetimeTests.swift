import Core
import FaultProxy
import Network
import Testing
import WebSocket

@Test func eachConnectionEndsAtItsAge() throws {
  let world = ProxyWorld(
    [.test(Lifetime(age: DrawnDuration(mean: .seconds(2))), at: 500)], latency: .zero, trackFrames: false)
  try world.run {
    let old = try await world.pair(client: 0)
    try await world.sleep(until: .seconds(1))
    let young = try await world.pair(client: 1)
    try await world.sleep(until: .seconds(10))
    // One that was open before counts from the fault's beginning.
    #expect(old.client.ended == .milliseconds(2500) && old.server.ended == .milliseconds(2500))
    #expect(young.client.ended == .seconds(3))
    #expect(world.application(0).clients == [0...1] && world.application(0).applications == 2)
  }
}

@Test func agesAreDrawnFromTheSeedAndNoneEndsWhenTheFaultIsOver() throws {
  func ends(_ seed: UInt64) throws -> [Instant?] {
    let age = DrawnDuration(mean: .seconds(3), jitter: .seconds(2))
    let world = ProxyWorld(
      [.test(Lifetime(age: age, end: .reset), at: 0, for: 4000)], seed: seed, latency: .zero, trackFrames: false)
    let kept = Kept<[Instant?]>([])
    try world.run {
      var clients: [Peer] = []
      for number in 0..<20 { clients.append(try await world.connect(client: UInt32(number))) }
      try await world.sleep(until: .seconds(9))
      kept.value = clients.map(\.failedAt)
    }
    return kept.value
  }
  let first = try ends(1)
  let ended = first.compactMap { $0 }
  #expect(ended.allSatisfy { $0 >= .seconds(1) && $0 <= .seconds(4) } && Set(ended).count == ended.count)
  #expect(ended.count > 8 && ended.count < 20)
  #expect(try ends(1) == first)
  #expect(try ends(2) != first)
}

@Test func aCloseFrameComesAtTheAge() throws {
  let world = ProxyWorld(
    [.test(Lifetime(age: DrawnDuration(mean: .seconds(1)), end: .closeFrame), at: 0)], latency: .zero)
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .seconds(2))
    #expect(Frames.lines(client.received, masked: false) == ["close(1001 )"])
    #expect(server.received.isEmpty && !server.hasEnded)
  }
}
