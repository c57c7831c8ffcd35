import Core
import FaultProxy
import Network
import Testing
import WebSocket

@Test func refusingByResetEndsEachNewConnectionAndNoOpenOne() throws {
  let world = ProxyWorld([.test(Refuse(), at: 100, for: 900)])
  try world.run {
    let open = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    let refused = try await world.connect(client: 1)
    try await world.sleep(.milliseconds(10))
    #expect(refused.failure == .reset)
    #expect(!open.client.hasEnded)
    #expect(world.servers.count == 1)
    try await world.sleep(until: .milliseconds(1100))
    _ = try await world.webSocket(client: 1)
    #expect(world.application(0).clients == [1...1])
    #expect(world.application(0).applications == 1)
  }
}

@Test func aHangingConnectionIsServedWhenTheFaultEnds() throws {
  let world = ProxyWorld([.test(Refuse(how: .acceptThenHang), at: 0, for: 1000)])
  try world.run {
    let client = try await world.connect(client: 0)
    client.write(ProxyWorld.request().serialize())
    let gone = try await world.connect(client: 1)
    try await world.sleep(until: .milliseconds(500))
    gone.stream.close()
    try await world.sleep(until: .milliseconds(900))
    #expect(!client.hasEnded && world.servers.isEmpty)
    #expect(world.proxy.statistics.open == 1)
    try await world.sleep(until: .milliseconds(1100))
    #expect(world.servers.count == 1)
    #expect(world.servers[0].text.hasPrefix("GET /api/sync HTTP/1.1"))
    #expect(world.lines.contains("client up ended(fin by client) [0]"))
  }
}

@Test func aClosedListenerRefusesAndComesBack() throws {
  let world = ProxyWorld([.test(Refuse(how: .closed), at: 100, for: 900)], trackFrames: false)
  try world.run {
    let open = try await world.pair(client: 0)
    try await world.sleep(until: .milliseconds(200))
    await #expect(throws: NetworkError.refused) { try await world.connect(client: 7) }
    open.client.write("lives")
    try await world.sleep(.milliseconds(10))
    #expect(open.server.text == "lives")
    try await world.sleep(until: .milliseconds(1100))
    _ = try await world.pair(client: 7)
    #expect(world.application(0).clients == [7...7])
  }
}

@Test func aListenerClosedForSomeResetsThoseAtAccept() throws {
  let target = FaultTarget.client(ClientID(1))
  let world = ProxyWorld([.test(Refuse(how: .closed), at: 0, for: 900, target: target)])
  try world.run {
    let hit = try await world.connect(client: 1)
    let spared = try await world.pair(client: 2)
    #expect(hit.failure == .reset)
    #expect(!spared.client.hasEnded)
  }
}

@Test(arguments: [true, false]) func anUpgradeIsAnsweredWithStatusAndRetryAfter(_ tracks: Bool) throws {
  let world = ProxyWorld(
    [.test(Refuse(how: .upgrade, status: 429, retryAfter: .milliseconds(1500)), at: 0, for: 1000)], trackFrames: tracks)
  try world.run {
    let client = try await world.connect(client: 0)
    try await world.sleep(.milliseconds(5))
    let request = ProxyWorld.request().serialize()
    client.write(request.prefix(20))
    try await world.sleep(.milliseconds(5))
    client.write(request.dropFirst(20))
    try await world.sleep(.milliseconds(5))
    #expect(
      client.text
        == "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    #expect(client.ended != nil && client.failure == nil)
    #expect(world.servers.isEmpty)
    client.stream.close()
    try await world.sleep(.milliseconds(5))
    #expect(world.proxy.statistics.open == 0)
    #expect(
      world.lines == [
        "client up attempt [0]", "client up upgradeRequest(/api/sync) dropped [0]",
        "client down upgradeResponse(429) injected [0]", "client down ended(fin by proxy) [0]",
      ])
  }
}
