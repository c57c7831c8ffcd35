import Core
import FaultProxy
import Network
import Testing
import WebSocket

@Test func allAreResetThenRefusedThenServedAgain() throws {
  let world = ProxyWorld([.test(ServerRestart(), at: 100, for: 900)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    #expect(client.failure == .reset && server.failure == .reset)
    await #expect(throws: NetworkError.self) { _ = try await world.connect(client: 0) }
    try await world.sleep(until: .milliseconds(1100))
    let again = try await world.webSocket(client: 0)
    #expect(!again.client.hasEnded)
    #expect(world.seen.edges.map { $0.prefix { $0 != "i" } }.count == 2)
  }
}

@Test func aServerCanSayGoodbyeAndAnswer503Meanwhile() throws {
  let world = ProxyWorld([
    .test(ServerRestart(end: .closeFrame, refusal: Refuse(how: .upgrade, retryAfter: .seconds(1))), at: 100, for: 900)
  ])
  try world.run {
    let (client, _) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    #expect(Frames.lines(client.received, masked: false) == ["close(1012 )"] && client.ended != nil)
    let turned = try await world.connect(client: 0)
    turned.write(ProxyWorld.request().serialize())
    try await world.sleep(.milliseconds(10))
    #expect(turned.text.hasPrefix("HTTP/1.1 503 "))
  }
}
