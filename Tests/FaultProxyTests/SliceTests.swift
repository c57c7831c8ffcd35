import Core
import FaultProxy
import Network
import Testing

@Test func bytesComeInPiecesWithPausesBetweenThem() throws {
  let world = ProxyWorld(
    [.test(Slice(size: 3, pause: .milliseconds(10)), at: 0, direction: .up)], latency: .zero, trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    let start = world.now
    client.write("0123456789")
    client.stream.shutdownWrite()
    try await world.sleep(.milliseconds(100))
    #expect(server.text == "0123456789")
    #expect(
      server.arrivals == [
        .init(bytes: 3, at: start), .init(bytes: 3, at: start + .milliseconds(10)),
        .init(bytes: 3, at: start + .milliseconds(20)), .init(bytes: 1, at: start + .milliseconds(30)),
      ])
    #expect(server.ended == start + .milliseconds(30))
    // The other way is not touched.
    server.write("at once")
    try await world.sleep(.milliseconds(1))
    #expect(client.arrivals.count == 1)
  }
}

@Test func piecesVaryByTheJitterAndTheSameInEachRun() throws {
  func sizes() throws -> [Int] {
    let world = ProxyWorld(
      [.test(Slice(size: 10, jitter: 4, pause: .milliseconds(1)), at: 0, direction: .down)], latency: .zero,
      trackFrames: false)
    let kept = Kept<[Int]>([])
    try world.run {
      let (client, server) = try await world.pair()
      server.write([UInt8](repeating: 1, count: 500))
      try await world.sleep(.seconds(1))
      kept.value = client.arrivals.map(\.bytes)
    }
    return kept.value
  }
  let first = try sizes()
  #expect(first.reduce(0, +) == 500)
  #expect(first.dropLast().allSatisfy { (6...14).contains($0) } && Set(first).count > 3)
  #expect(try sizes() == first)
}
