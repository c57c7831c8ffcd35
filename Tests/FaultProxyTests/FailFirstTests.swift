import Core
import FaultProxy
import Network
import Testing
import WebSocket

@Test func theFirstAttemptsOfEachClientFailAndLaterOnesWork() throws {
  let world = ProxyWorld([.test(FailFirst(attempts: 2), at: 0)], trackFrames: false)
  try world.run {
    for client: UInt32 in [4, 9] {
      for attempt in 0..<4 {
        let peer = try await world.connect(client: client)
        try await world.sleep(.milliseconds(5))
        #expect((peer.failure == .reset) == (attempt < 2))
      }
    }
    #expect(world.application(0).applications == 4)
    #expect(world.application(0).clients == [4...4, 9...9])
  }
}

@Test func whoDoesNotSayWhoItIsGoesByItsHost() throws {
  let world = ProxyWorld([.test(FailFirst(attempts: 1), at: 0)], trackFrames: false)
  try world.run {
    let first = try await world.connect()
    let second = try await world.connect()
    try await world.sleep(.milliseconds(5))
    #expect(first.failure == .reset && !second.hasEnded)
  }
}

@Test func attemptsCanFailWithAStatus() throws {
  let world = ProxyWorld([
    .test(FailFirst(refusal: Refuse(how: .upgrade, status: 429, retryAfter: .seconds(3))), at: 0)
  ])
  try world.run {
    let first = try await world.connect(client: 0)
    first.write(ProxyWorld.request().serialize())
    try await world.sleep(.milliseconds(10))
    #expect(first.text.hasPrefix("HTTP/1.1 429 ") && first.text.contains("Retry-After: 3\r\n"))
    let second = try await world.webSocket(client: 0)
    #expect(!second.client.hasEnded)
  }
}
