import Core
import FaultProxy
import Network
import Testing

@Test func theConnectionEndsBehindTheLastByteOfTheLimit() throws {
  let world = ProxyWorld([.test(Limit(bytes: 10), at: 0, direction: .up)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    server.write("any amount of this")
    client.write("0123456")
    try await world.sleep(.milliseconds(10))
    #expect(server.text == "0123456" && server.ended == nil)
    client.write("789 and more")
    try await world.sleep(.milliseconds(10))
    #expect(server.text == "0123456789")
    #expect(server.ended != nil && client.ended != nil && client.failure == nil)
    #expect(client.text == "any amount of this")
    client.stream.close()
    server.stream.close()
    try await world.sleep(.milliseconds(10))
    #expect(world.proxy.statistics.open == 0 && world.proxy.statistics.failures.isEmpty)
  }
}

@Test func exactlyTheLimitEndsItTooAndAResetIsOne() throws {
  let world = ProxyWorld([.test(Limit(bytes: 4, how: .reset), at: 0, direction: .down)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    server.write("1234")
    try await world.sleep(.milliseconds(10))
    #expect(client.text == "1234" && client.failure == .reset && server.failure == .reset)
    #expect(world.application(0).applications == 4)
  }
}

@Test func bytesThatWaitBeforeTheEndStillComeAndTheMessageBehindIsLost() throws {
  let world = ProxyWorld([
    .test(Limit(bytes: 12), at: 100, direction: .down),
    .test(Latency(delay: .milliseconds(200)), at: 100, direction: .down, ordinal: 1),
  ])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(110))
    let count = world.lines.count
    let whole = Frames.text("whole", masked: false)
    server.write(whole + Frames.text("cut off", masked: false))
    try await world.sleep(until: .milliseconds(290))
    #expect(client.received.isEmpty)
    #expect(
      world.lines(since: count) == [
        "upstream down message(whole) delayed [0, 1]", "upstream down message(cut off) dropped [0]",
      ])
    try await world.sleep(until: .milliseconds(320))
    #expect(client.received.count == 12 && Array(client.received.prefix(7)) == whole)
    #expect(client.ended != nil && server.ended != nil)
  }
}
