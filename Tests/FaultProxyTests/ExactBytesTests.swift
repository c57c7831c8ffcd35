import Core
import FaultProxy
import Network
import Testing

/// Any mix of byte faults that do not claim to lose bytes delivers exactly the bytes sent, both ways, and then the ends.
@Test(arguments: 0..<32)
func anyMixOfByteFaultsDeliversExactlyTheBytesSent(_ seed: Int) throws {
  var random = SeededRandom(seed: UInt64(seed), purpose: .test)
  var faults: [FaultEntry] = []
  for ordinal in 0..<Int.random(in: 1...6, using: &random) {
    let fault: any Fault
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      let delay = Duration.microseconds(Int64.random(in: 50...300_000, using: &random))
      fault = Latency(
        delay: delay, jitter: delay / 2, distribution: Latency.Distribution.allCases.randomElement(using: &random))
    case 1: fault = Bandwidth(rate: Int.random(in: 2_000...2_000_000, using: &random))
    case 2: fault = DeadHeartbeat()
    case 3: fault = Bandwidth(rate: Int.random(in: 2_000...2_000_000, using: &random), shared: true)
    case 4:
      let size = Int.random(in: 64...4096, using: &random)
      fault = Slice(size: size, jitter: size / 2, pause: .microseconds(Int64.random(in: 50...2000, using: &random)))
    case 5: fault = Stall()
    case 6: fault = SlowHandshake(size: 16, pause: .microseconds(Int64.random(in: 50...500, using: &random)))
    default: fault = Blackhole()
    }
    let start = Duration.milliseconds(Int.random(in: 0...2000, using: &random))
    let length = Duration.milliseconds(Int.random(in: 1...3000, using: &random))
    let triggers: [FaultTrigger] = [
      .at(start, for: length), .every(.milliseconds(4000), from: start, for: length),
      .afterConnect(start, from: .zero, for: length),
    ]
    faults.append(
      FaultEntry(
        ordinal: ordinal, trigger: triggers[Int.random(in: 0..<3, using: &random)],
        target: Bool.random(using: &random) ? .all : .share(0.5),
        direction: [.up, .down, .both].randomElement(using: &random), fault: fault))
  }
  let world = ProxyWorld(
    faults, seed: UInt64(seed), latency: .microseconds(300), capacity: Int.random(in: 512...65536, using: &random),
    trackFrames: false, configure: { $0.trackFrames = false })
  // Garbage to the frame tracker: it must pass all the same.
  let up = (0..<Int.random(in: 1...200_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
  let down = (0..<Int.random(in: 1...200_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
  let chunks = (0..<64).map { _ in Int.random(in: 1...10_000, using: &random) }
  try world.run {
    let (client, server) = try await world.pair(client: 0)
    var offset = 0
    var turn = 0
    while offset < max(up.count, down.count) {
      let size = chunks[turn % chunks.count]
      if offset < up.count { client.write(up[offset..<min(up.count, offset + size)]) }
      if offset < down.count { server.write(down[offset..<min(down.count, offset + size)]) }
      offset += size
      turn += 1
      server.reads = turn % 7 != 3
      try await world.sleep(.milliseconds(40))
    }
    server.reads = true
    try await world.sleep(.seconds(600))
    world.proxy.liftFaults()
    client.stream.shutdownWrite()
    try await world.sleep(.seconds(10))
    #expect(server.received == up)
    #expect(client.received == down)
    #expect(server.ended != nil && client.ended == nil)
    server.stream.shutdownWrite()
    try await world.sleep(.seconds(10))
    #expect(client.ended != nil && client.failure == nil && server.failure == nil)
    #expect(world.proxy.statistics.open == 0)
  }
}
