import Core
import FaultProxy
import Network
import Testing
import WebSocket

@Test func theHeadComesByteByByteAndWhatFollowsDoesNot() throws {
  let world = ProxyWorld([.test(SlowHandshake(pause: .milliseconds(10)), at: 0)], latency: .zero)
  try world.run {
    let (client, server) = try await world.pair(client: 0)
    client.write(ProxyWorld.request().serialize())
    try await world.sleep(.milliseconds(1))
    #expect(!server.received.isEmpty)
    let start = world.now
    let head = ProxyWorld.response
    server.write(head + Frames.text("right behind it", masked: false))
    try await world.sleep(.seconds(10))
    let slow = client.arrivals.prefix(head.count)
    #expect(slow.map(\.bytes) == .init(repeating: 1, count: head.count - 1) + [slow.last?.bytes ?? 0])
    #expect(slow.map(\.at) == (0..<head.count).map { start + .milliseconds(10 * $0) })
    #expect(Array(client.received.prefix(head.count)) == head)
    let count = client.arrivals.count
    server.write(Frames.text("fast", masked: false))
    try await world.sleep(.milliseconds(1))
    #expect(client.arrivals.count == count + 1)
    // What comes after the head is none of the fault's.
    #expect(world.application(0).applications == UInt64(head.count + 17))
  }
}

@Test func aConnectionThatIsOpenIsNotSlowedDown() throws {
  let world = ProxyWorld([.test(SlowHandshake(size: 10, pause: .milliseconds(10)), at: 100)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    server.write(Frames.text("fast", masked: false))
    try await world.sleep(.milliseconds(2))
    #expect(Frames.lines(client.received, masked: false) == ["message(fast)"])
    #expect(world.application(0).applications == 0)
  }
}
