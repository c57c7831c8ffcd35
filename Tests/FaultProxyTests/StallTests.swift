import Core
import FaultProxy
import Network
import Testing

@Test func nothingIsReadWhileItStallsAndAllOfItComesAfterwards() throws {
  let world = ProxyWorld(
    [.test(Stall(), at: 100, for: 900, direction: .up)], capacity: 1024, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair(client: 3)
    let idle = try await world.pair(client: 4)
    try await world.sleep(until: .milliseconds(200))
    let data = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    client.write(data)
    try await world.sleep(until: .milliseconds(990))
    #expect(server.received.isEmpty)
    // The writer's buffer is full: backpressure has come to it.
    #expect(client.taken <= 2048 && client.unsent.count >= 2952)
    // The other way flows.
    server.write("down")
    try await world.sleep(.milliseconds(5))
    #expect(client.text == "down")
    try await world.sleep(until: .milliseconds(1100))
    #expect(server.received == data)
    #expect(world.application(0).applications == 1 && world.application(0).clients == [3...3])
    #expect(!idle.client.hasEnded)
  }
}

@Test func anEndThatCouldNotBeReadComesBehindTheBytes() throws {
  let world = ProxyWorld([.test(Stall(), at: 100, for: 400)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    try await world.sleep(until: .milliseconds(200))
    client.write("last words")
    client.stream.shutdownWrite()
    try await world.sleep(until: .milliseconds(490))
    #expect(server.received.isEmpty && !server.hasEnded)
    try await world.sleep(until: .milliseconds(510))
    #expect(server.text == "last words" && server.ended == .milliseconds(501))
  }
}
