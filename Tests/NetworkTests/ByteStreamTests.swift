import Core
import Network
import TestSupport
import Testing

@Test(arguments: Medium.allCases) func bytesAndEndTravelInOrder(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await ConnectedPair.make(transport, address)
    #expect(pair.client.stream.peer == pair.listener.address)
    #expect(pair.server.stream.peer == pair.client.stream.local)
    pair.client.write(Array("hello ".utf8))
    pair.client.write(Array("there".utf8))
    try await pair.server.wait(bytes: 11)
    #expect(pair.server.text == "hello there")
    pair.client.stream.close()
    try await pair.server.waitForEnd()
    #expect(pair.server.events.last == .end)
    #expect(pair.server.events.contains(.hungUp(nil)))
    #expect(pair.server.stream.peerGone == .finished)
  }
}

@Test(arguments: Medium.allCases) func aHalfClosedStreamStillReads(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await ConnectedPair.make(transport, address)
    pair.client.write([1, 2, 3])
    pair.client.stream.shutdownWrite()
    try await pair.server.waitForEnd()
    #expect(pair.server.received == [1, 2, 3])
    #expect(throws: NetworkError.closed) { try pair.client.stream.write([4]) }
    pair.server.write([9, 9])
    try await pair.client.wait(bytes: 2)
    pair.server.stream.close()
    try await pair.client.waitForEnd()
    #expect(pair.client.events.last == .end)
  }
}

@Test(arguments: Medium.allCases) func aSlowReaderHoldsUpTheWriter(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await ConnectedPair.make(transport, address)
    pair.server.stream.pauseReading()
    let size = 16 << 20
    let data = [UInt8](repeating: 7, count: size)
    pair.client.write(data)
    try await transport.loop.sleep(for: .milliseconds(20))
    #expect(pair.client.unsent.count > 0)
    #expect(pair.server.received.isEmpty)
    pair.server.stream.resumeReading()
    try await pair.server.wait(bytes: size)
    #expect(pair.server.received == data)
    #expect(pair.client.unsent.isEmpty)
    #expect(pair.client.events.contains(.writable))
  }
}

@Test(arguments: Medium.allCases) func bytesBeforeAResetAreReadFirst(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await ConnectedPair.make(transport, address)
    pair.server.reads = false
    pair.client.write([1, 2, 3])
    // Until the bytes have arrived: an RST in memory travels behind them, on TCP it has to find them there.
    try await transport.loop.sleep(for: .milliseconds(20))
    pair.client.stream.reset()
    try await pair.server.wait { $0.events.contains(.hungUp(.reset)) }
    #expect(pair.server.stream.peerGone == .gone)
    #expect(pair.server.received.isEmpty)
    pair.server.read()
    #expect(pair.server.received == [1, 2, 3])
    #expect(pair.server.events.last == .failed(.reset))
    #expect(throws: NetworkError.reset) { try pair.server.stream.write([1]) }
    #expect(throws: NetworkError.reset) { try pair.server.stream.read(into: transport.loop.scratch) }
    #expect(throws: NetworkError.closed) { try pair.client.stream.read(into: transport.loop.scratch) }
  }
}

@Test(arguments: Medium.allCases) func closingWithUnreadBytesIsAReset(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await ConnectedPair.make(transport, address)
    pair.server.reads = false
    pair.client.write([1, 2, 3])
    try await transport.loop.sleep(for: .milliseconds(20))
    pair.server.stream.close()
    try await pair.client.waitForEnd()
    #expect(pair.client.events.last == .failed(.reset))
  }
}

@Test(arguments: Medium.allCases) func writingToAClosedPeerEndsInAReset(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await ConnectedPair.make(transport, address)
    pair.server.stream.close()
    try await pair.client.waitForEnd()
    #expect(pair.client.events.last == .end)
    pair.client.write([1])
    try await pair.client.wait { $0.stream.peerGone == .gone }
    #expect(throws: NetworkError.reset) { try pair.client.stream.write([1]) }
  }
}

@Test(arguments: Medium.allCases) func aPausedStreamStillNoticesAReset(_ medium: Medium) throws {
  try medium.run { transport, address in
    let pair = try await ConnectedPair.make(transport, address)
    pair.server.stream.pauseReading()
    pair.client.write([1, 2, 3])
    try await transport.loop.sleep(for: .milliseconds(20))
    #expect(pair.server.events.isEmpty)
    pair.client.stream.reset()
    try await pair.server.wait { !$0.events.isEmpty }
    #expect(pair.server.events == [.hungUp(.reset)])
    pair.server.stream.resumeReading()
    try await pair.server.waitForEnd()
    #expect(pair.server.received == [1, 2, 3])
  }
}

@Test(arguments: Medium.allCases) func aHandlerSetLateIsToldWhatHasCome(_ medium: Medium) throws {
  try medium.run { transport, address in
    let accepted = Record<ByteStream>()
    let listener = try transport.listen(on: address) { accepted.values.append($0) }
    let client = try await transport.connect(to: listener.address)
    _ = try client.write([5])
    try await transport.loop.sleep(for: .milliseconds(20))
    let server = RecordingStreamHandler(accepted.values[0])
    try await server.wait(bytes: 1)
    #expect(server.received == [5])
  }
}

@Test(arguments: Medium.allCases) func nobodyListeningRefuses(_ medium: Medium) throws {
  try medium.run { transport, address in
    let listener = try transport.listen(on: address) { _ in }
    listener.close()
    await #expect(throws: NetworkError.refused) { try await transport.connect(to: listener.address) }
    try listener.reopen()
    _ = try await transport.connect(to: listener.address)
  }
}

@Test(arguments: Medium.allCases) func twoListenersDoNotShareAnAddress(_ medium: Medium) throws {
  try medium.run { transport, address in
    let first = try transport.listen(on: address) { _ in }
    #expect(throws: NetworkError.addressInUse) { try transport.listen(on: first.address) { _ in } }
    withExtendedLifetime(first) {}
  }
}

@Test(arguments: Medium.allCases) func aConnectToAFullBacklogTimesOutAndIsCancellable(_ medium: Medium) throws {
  try medium.run { transport, address in
    let listener = try transport.listen(on: address, backlog: 1) { _ in }
    listener.pauseAccepting()
    // Linux holds one more than the backlog says.
    let held = [
      try await transport.connect(to: listener.address),
      try? await transport.connect(to: listener.address, timeout: .milliseconds(30)),
    ]
    let before = transport.loop.now
    await #expect(throws: NetworkError.timedOut) {
      try await transport.connect(to: listener.address, timeout: .milliseconds(30))
    }
    #expect(transport.loop.now - before >= .milliseconds(30))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: NetworkError.cancelled) { try await transport.connect(to: listener.address) }
      }
      try await transport.loop.sleep(for: .milliseconds(5))
      group.cancelAll()
    }
    withExtendedLifetime(held) {}
  }
}

@Test(arguments: Medium.allCases) func thePeerSeesTheAddressThatBoundTold(_ medium: Medium) throws {
  try medium.run { transport, address in
    let told = Record<SocketAddress>()
    let seen = Record<SocketAddress>()
    let waiter = Waiter(loop: transport.loop, label: "accept")
    let listener = try transport.listen(on: address) {
      #expect(told.values == [$0.peer])
      seen.values.append($0.peer)
      waiter.signal()
    }
    let stream = try await transport.connect(to: listener.address, bound: { told.values.append($0) })
    if seen.values.isEmpty { try await waiter.wait() }
    #expect(told.values == seen.values && told.values == [stream.local])
  }
}

@Test(arguments: Medium.allCases) func aPausedListenerLeavesConnectionsInItsBacklog(_ medium: Medium) throws {
  try medium.run { transport, address in
    let accepted = Record<ByteStream>()
    let waiter = Waiter(loop: transport.loop, label: "accept")
    let listener = try transport.listen(on: address, backlog: 16) {
      accepted.values.append($0)
      waiter.signal()
    }
    listener.pauseAccepting()
    let client = RecordingStreamHandler(try await transport.connect(to: listener.address))
    client.write([1])
    try await transport.loop.sleep(for: .milliseconds(20))
    #expect(accepted.values.isEmpty)
    listener.resumeAccepting()
    try await waiter.wait()
    let server = RecordingStreamHandler(accepted.values[0])
    try await server.wait(bytes: 1)
  }
}

@Test(arguments: Medium.allCases) func aStreamHoldsItsHandlerUntilItIsClosed(_ medium: Medium) throws {
  final class Idle: ByteStreamHandler {
    func readable(_ stream: ByteStream) {}
    func writable(_ stream: ByteStream) {}
  }
  try medium.run { transport, address in
    let listener = try transport.listen(on: address) { _ in }
    for ending in [{ $0.close() }, { $0.reset() }] as [(ByteStream) -> Void] {
      let stream = try await transport.connect(to: listener.address)
      weak var handler: Idle?
      do {
        let idle = Idle()
        handler = idle
        stream.handler = idle
      }
      #expect(handler != nil)
      ending(stream)
      #expect(handler == nil)
      stream.handler = Idle()
      #expect(stream.handler == nil)
    }
    listener.close()
  }
}

@Test(arguments: Medium.allCases) func droppingAStreamClosesIt(_ medium: Medium) throws {
  try medium.run { transport, address in
    let listener = try transport.listen(on: address) { _ in }
    let client = RecordingStreamHandler(try await transport.connect(to: listener.address))
    try await client.waitForEnd()
    #expect(client.events.last == .end)
  }
}

@Test(arguments: Medium.allCases) func droppingAListenerClosesIt(_ medium: Medium) throws {
  try medium.run { transport, address in
    func listen() throws -> SocketAddress { try transport.listen(on: address) { _ in }.address }
    let gone = try listen()
    await #expect(throws: NetworkError.refused) { try await transport.connect(to: gone) }
  }
}

@Test(arguments: Medium.allCases) func aConnectIsCancelledByItsHandle(_ medium: Medium) throws {
  try medium.run { transport, address in
    let listener = try transport.listen(on: address) { _ in }
    let results = Record<NetworkError?>()
    let handle = transport.connect(to: listener.address, from: nil, timeout: nil, bound: nil) {
      if case .failure(let error) = $0 { results.values.append(error) } else { results.values.append(nil) }
    }
    #expect(results.values.isEmpty)
    handle.cancel()
    handle.cancel()
    #expect(results.values == [.cancelled])
    try await transport.loop.sleep(for: .milliseconds(10))
    #expect(results.values.count == 1)
    withExtendedLifetime(listener) {}
  }
}
