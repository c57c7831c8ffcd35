import Core
import Network
import TestSupport
import Testing

@Test func latencyIsOneWayAndAConnectTakesTwo() throws {
  let world = VirtualWorld(latency: .milliseconds(40))
  try world.run {
    let pair = try await ConnectedPair.make(world.transport, .memory("server", port: 80))
    #expect(world.now == .milliseconds(80))
    pair.client.write([1])
    try await pair.server.wait(bytes: 1)
    #expect(world.now == .milliseconds(120))
  }
}

@Test func aLatencyThatShrinksDoesNotReorder() throws {
  let world = VirtualWorld(latency: .milliseconds(100))
  try world.run {
    let (a, b) = world.network.pair()
    let server = RecordingStreamHandler(b)
    _ = try a.write([1])
    world.network.latency = .milliseconds(1)
    _ = try a.write([2])
    try await server.wait(bytes: 1)
    #expect(world.now == .milliseconds(100))
    try await server.wait(bytes: 2)
    #expect(server.received == [1, 2])
  }
}

@Test func aResetCanTakeUnreadBytesWhereAsked() throws {
  let world = VirtualWorld()
  world.network.discardsUnreadOnReset = true
  try world.run {
    let (a, b) = world.network.pair()
    let server = RecordingStreamHandler(b)
    server.reads = false
    _ = try a.write([1, 2, 3])
    try await world.sleep(.seconds(1))
    a.reset()
    try await server.wait { $0.events.contains(.hungUp(.reset)) }
    server.read()
    #expect(server.received.isEmpty && server.events.last == .failed(.reset))
  }
}

@Test func admissionRefusesAndHangs() throws {
  let world = VirtualWorld()
  world.network.admission = { to, _ in to.port == 1 ? .refuse : .hang }
  try world.run {
    let listeners = try [1, 2].map { try world.transport.listen(on: .memory("server", port: $0)) { _ in } }
    await #expect(throws: NetworkError.refused) {
      try await world.transport.connect(to: listeners[0].address, timeout: .seconds(10))
    }
    let before = world.now
    await #expect(throws: NetworkError.timedOut) {
      try await world.transport.connect(to: listeners[1].address, timeout: .seconds(10))
    }
    #expect(world.now - before == .seconds(10))
    // As Linux: the request and six repetitions, 1 + 2 + … + 64 s.
    let again = world.now
    await #expect(throws: NetworkError.timedOut) { try await world.transport.connect(to: listeners[1].address) }
    #expect(world.now - again == .seconds(127) + .milliseconds(1) - .seconds(64))
  }
}

@Test func aBoundedBufferTakesItsCapacityAndNoMore() throws {
  let world = VirtualWorld(capacity: 1000)
  try world.run {
    let (a, b) = world.network.pair()
    let taken = [try a.write([UInt8](repeating: 1, count: 1500)), try a.write([1])]
    #expect(taken == [1000, 0])
    withExtendedLifetime(b) {}
  }
}

@Test func aDeadlockNamesStreamsWithWhatTheyHold() {
  let world = VirtualWorld()
  #expect {
    try world.run {
      let (a, b) = world.network.pair(local: .memory("client", port: 7), peer: .memory("server", port: 80))
      b.pauseReading()
      let reader = RecordingStreamHandler(a)
      _ = try a.write([1, 2, 3])
      try await reader.wait(bytes: 1)
      withExtendedLifetime(b) {}
    }
  } throws: { error in
    "\(error)".contains("stream 1 from server:80 to client:7: 3 bytes unread, reading paused")
  }
}

@Test func localPortsAreHeldUntilTheDiallingEndCloses() throws {
  let world = VirtualWorld()
  try world.run {
    let streams = Record<ByteStream>()
    let listener = try world.transport.listen(on: .loopback(port: 80)) { streams.values.append($0) }
    let source = SocketAddress.loopback(port: 5000)
    let first = try await world.transport.connect(to: listener.address, from: source)
    #expect(first.local == source)
    await #expect(throws: NetworkError.noPorts) {
      try await world.transport.connect(to: listener.address, from: source)
    }
    first.close()
    _ = try await world.transport.connect(to: listener.address, from: source)
  }
}

@Test func namesOfTheMemoryNetworkResolve() throws {
  let world = VirtualWorld()
  world.network.names["api.example"] = [.loopback(port: 0)]
  try world.run {
    let known = try await world.transport.resolve(host: "api.example", port: 4000)
    let local = try await world.transport.resolve(host: "localhost", port: 1)
    let other = try await world.transport.resolve(host: "other", port: 1)
    #expect(known == [.loopback(port: 4000)])
    #expect(local == [.loopback(port: 1)])
    #expect(other == [.memory("other", port: 1)])
  }
}
