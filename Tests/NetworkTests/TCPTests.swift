import Core
import Network
import TestSupport
import Testing

@Test func aDescriptorReusedWithinABatchDoesNotHearOfTheOldOne() throws {
  let loop = EventLoop(clock: .monotonic)
  let transport = TCPTransport(loop: loop)
  try loop.run {
    let accepted = Record<RecordingStreamHandler>()
    let listener = try transport.listen(on: .loopback(port: 0)) { accepted.values.append(RecordingStreamHandler($0)) }
    var clients: [ByteStream] = []
    for _ in 0..<8 { clients.append(try await transport.connect(to: listener.address)) }
    while accepted.values.count < 8 { try await loop.sleep(for: .milliseconds(1)) }
    // All eight become readable in one batch. The first callback closes all others and opens as many: the system gives
    // out the same numbers, whose old events are still in the batch.
    let closer = Closer(accepted.values.map(\.stream), transport, listener.address)
    for client in clients { _ = try client.write([1]) }
    while closer.fresh.count < 7 { try await loop.sleep(for: .milliseconds(1)) }
    try await loop.sleep(for: .milliseconds(10))
    #expect(closer.calls == 1)
    #expect(closer.fresh.allSatisfy { $0.events.isEmpty })
    withExtendedLifetime(clients) {}
  }
}

/// @unchecked: confined to the loop of its test.
private final class Closer: ByteStreamHandler, @unchecked Sendable {
  private var streams: [ByteStream]
  private let transport: TCPTransport
  private let address: SocketAddress
  private(set) var calls = 0
  private(set) var fresh: [RecordingStreamHandler] = []

  init(_ streams: [ByteStream], _ transport: TCPTransport, _ address: SocketAddress) {
    self.streams = streams
    self.transport = transport
    self.address = address
    for stream in streams { stream.handler = self }
  }

  func readable(_ stream: ByteStream) {
    calls += 1
    for other in streams where other !== stream { other.close() }
    streams.removeAll { $0 !== stream }
    for _ in 0..<7 {
      transport.connect(to: address, from: nil, timeout: nil, bound: nil) { [weak self] result in
        if case .success(let stream) = result { self?.fresh.append(RecordingStreamHandler(stream)) }
      }
    }
  }
  func writable(_ stream: ByteStream) {}
}

@Test func aSourceAddressIsUsed() throws {
  let loop = EventLoop(clock: .monotonic)
  let transport = TCPTransport(loop: loop)
  try loop.run {
    let listener = try transport.listen(on: .loopback(port: 0)) { _ in }
    let stream = try await transport.connect(to: listener.address, from: .parse("127.0.0.7:0"))
    #expect(stream.local.host == "127.0.0.7" && stream.local.port != 0)
    await #expect(throws: NetworkError.noPorts) {
      try await transport.connect(to: listener.address, from: .parse("192.0.2.1:0"))
    }
  }
}

@Test func namesAreLookedUpOffTheLoopAndCancellable() throws {
  let loop = EventLoop(clock: .monotonic)
  let transport = TCPTransport(loop: loop)
  try loop.run {
    let numeric = try await transport.resolve(host: "127.0.0.1", port: 80)
    let local = try await transport.resolve(host: "localhost", port: 80)
    #expect(numeric == [.loopback(port: 80)] && local == numeric)
    await #expect { try await transport.resolve(host: "no-such-host.invalid", port: 80) } throws: {
      "\($0)".contains("cannot resolve \"no-such-host.invalid\"")
    }
    await #expect(throws: NetworkError.resolution("\"\" is not a host name (1 to 255 bytes)")) {
      try await transport.resolve(host: "", port: 80)
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: NetworkError.cancelled) {
          try await transport.resolve(host: "cancelled.invalid", port: 80)
        }
      }
      group.cancelAll()
    }
  }
}

@Test func aFastPeerDoesNotStarveTheOthers() throws {
  let loop = EventLoop(clock: .monotonic)
  let transport = TCPTransport(loop: loop)
  try loop.run {
    let pair = try await ConnectedPair.make(transport, .loopback(port: 0))
    pair.server.stream.pauseReading()
    pair.client.write([UInt8](repeating: 1, count: 4 << 20))
    try await loop.sleep(for: .milliseconds(5))
    let turns = loop.statistics.turns
    let jobs = loop.statistics.jobs
    pair.server.stream.resumeReading()
    try await pair.server.wait(bytes: 512 << 10)
    // One round may take 256 KiB; the rest had to wait for the next.
    #expect(loop.statistics.turns > turns || loop.statistics.jobs > jobs)
    try await pair.server.wait(bytes: 4 << 20)
  }
}

@Test func addressesAreReadAndWritten() {
  #expect(SocketAddress.parse("127.0.0.1:4000") == .loopback(port: 4000))
  #expect(SocketAddress.parse("[::1]:80") == .loopback6(port: 80))
  #expect(SocketAddress.parse("[::1]:80")?.description == "[::1]:80")
  #expect(SocketAddress.parse("10.1.2.3:65535")?.description == "10.1.2.3:65535")
  #expect(SocketAddress.parse("[2001:db8::7]:1")?.host == "2001:db8::7")
  for text in [
    "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "::1:80", "localhost:80", "[1.2.3.4]:5",
  ] {
    #expect(SocketAddress.parse(text) == nil, "\(text)")
  }
  #expect(SocketAddress.loopback(port: 1).isLoopback && SocketAddress.loopback6(port: 1).isLoopback)
  #expect(SocketAddress.parse("127.9.9.9:1")?.isLoopback == true)
  #expect(SocketAddress.parse("[::ffff:127.0.0.1]:1")?.isLoopback == true)
  #expect(SocketAddress.parse("8.8.8.8:1")?.isLoopback == false)
  #expect(SocketAddress.memory("server", port: 80).description == "server:80")
}
