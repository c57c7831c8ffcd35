import Core
import FaultProxy
import Glibc
import Network
import TestSupport
import Testing

/// What only real sockets can prove.
private func onSockets(
  _ fault: (any Fault)?,
  _ body: @escaping @Sendable (Proxy, RecordingStreamHandler, RecordingStreamHandler) async throws -> Void
) throws {
  let loop = EventLoop(clock: .monotonic)
  let transport = TCPTransport(loop: loop)
  try loop.run {
    let servers = Servers(loop)
    let listener = try transport.listen(on: .loopback(port: 0)) { servers.add($0) }
    let configuration = ProxyConfiguration(
      upstream: listener.address, listen: .loopback(port: 0), trackFrames: false)
    let entries = fault.map { [FaultEntry(ordinal: 0, trigger: .at(.zero, for: nil), fault: $0)] }
    let proxy = Proxy(
      transport: transport, configuration: configuration, timeline: FaultTimeline(entries ?? []))
    let address = try proxy.start()
    let client = RecordingStreamHandler(
      try await transport.connect(to: address) { proxy.expect(local: $0, client: ClientID(5), fleet: 0) })
    try await body(proxy, client, try await servers.first())
    proxy.close()
    listener.close()
  }
}

/// @unchecked: confined to its loop.
private final class Servers: @unchecked Sendable {
  private var all: [RecordingStreamHandler] = []
  private let waiter: Waiter
  init(_ loop: EventLoop) { waiter = Waiter(loop: loop, label: "a server's connection") }
  func add(_ stream: ByteStream) {
    all.append(RecordingStreamHandler(stream))
    waiter.signal()
  }
  func first() async throws -> RecordingStreamHandler {
    while all.isEmpty { try await waiter.wait() }
    return all[0]
  }
}

@Test func aResetGivesECONNRESETOnAnIdleSocketOfEitherSide() throws {
  try onSockets(Reset()) { proxy, client, server in
    // A round trip first, so that the connection is idle and known to be whole.
    client.write(Array("ping".utf8))
    try await server.wait(bytes: 4)
    server.write(Array("pong".utf8))
    try await client.wait(bytes: 4)
    proxy.begin(at: client.stream.loop.now)
    try await client.waitForEnd()
    try await server.waitForEnd()
    #expect(client.events.contains(.failed(.reset)) && !client.events.contains(.end))
    #expect(server.events.contains(.failed(.reset)) && !server.events.contains(.end))
    #expect(proxy.applications[0].clients == [5...5])
  }
}

@Test func aCloseGivesAFINOnSockets() throws {
  try onSockets(Close()) { proxy, client, server in
    client.write(Array("ping".utf8))
    try await server.wait(bytes: 4)
    proxy.begin(at: client.stream.loop.now)
    try await client.waitForEnd()
    try await server.waitForEnd()
    #expect(client.events.contains(.end) && server.events.contains(.end))
  }
}

@Test func aPeersResetIsPassedOnAsOne() throws {
  try onSockets(Blackhole()) { proxy, client, server in
    client.write(Array("ping".utf8))
    try await server.wait(bytes: 4)
    server.stream.reset()
    try await client.waitForEnd()
    #expect(client.events.contains(.failed(.reset)))
    #expect(proxy.statistics.open == 0)
  }
}

@Test func largeAmountsPassThroughSocketsUnharmed() throws {
  try onSockets(Reset()) { _, client, server in
    let data = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
    client.write(data)
    while !client.unsent.isEmpty { try await server.wait(bytes: server.received.count + 1) }
    try await server.wait(bytes: data.count)
    #expect(server.received == data)
  }
}

/// What is spliced by the system and what a fault holds follow each other without a gap; the fault comes and goes while
/// the bytes are on their way.
@Test func aHundredMegabytesPassUnharmedThroughPipesAndThroughFaultsThatComeAndGo() throws {
  try onSockets(nil) { proxy, client, server in
    let loop = client.stream.loop
    let total = 100_000_000
    let sender = PatternSender(client.stream, total: total)
    let receiver = PatternReceiver(server.stream, total: total)
    sender.send()
    try await receiver.wait(bytes: 20_000_000)
    func entry(_ fault: any Fault) -> FaultEntry {
      FaultEntry(ordinal: 0, name: "f", trigger: .at(.zero, for: nil), fault: fault)
    }
    try proxy.edit([.add(entry(Latency(delay: .milliseconds(2))))])
    let held = receiver.count
    try await receiver.wait(bytes: held + 5_000_000)
    try proxy.edit([.change(name: "f", entry(Blackhole()))])
    try await loop.sleep(for: .milliseconds(5))
    try proxy.edit([.remove(name: "f")])
    try await receiver.wait(bytes: 60_000_000)
    proxy.pause()
    try await loop.sleep(for: .milliseconds(2))
    proxy.resume()
    try await receiver.wait(bytes: total)
    #expect(receiver.count == total && receiver.firstWrong == nil)
    let state = proxy.connectionStates()[0]
    #expect(state.up.bytesIn == UInt64(total) && state.up.bytesOut == UInt64(total) && state.up.heldBytes == 0)
    #expect(loop.pipes.lent == 0 && loop.pipes.fills > 10)
  }
}

@Test func aReaderThatIsGoneInTheMiddleOfASpliceEndsTheConnectionAndThePipeIsGivenBack() throws {
  try onSockets(nil) { proxy, client, server in
    server.reads = false
    PatternSender(client.stream, total: 50_000_000).send()
    while proxy.connectionStates().first?.up.heldBytes == 0 {
      try await client.stream.loop.sleep(for: .milliseconds(1))
    }
    server.stream.reset()
    while proxy.statistics.open > 0 { try await client.stream.loop.sleep(for: .milliseconds(1)) }
    #expect(client.stream.loop.pipes.lent == 0)
  }
}

/// @unchecked: confined to its stream's loop.
private final class PatternSender: ByteStreamHandler, @unchecked Sendable {
  private let stream: ByteStream
  private let total: Int
  private var sent = 0
  /// Keeps itself as long as there is something to send.
  private var myself: PatternSender?

  init(_ stream: ByteStream, total: Int) {
    self.stream = stream
    self.total = total
    myself = self
    stream.handler = self
  }

  /// A prime, so that the pattern falls on no boundary of buffers and pipes twice alike.
  static let period = 65_521
  /// Long enough for a piece from any place of the period.
  static let pattern = (0..<period + 65_536).map { UInt8(truncatingIfNeeded: ($0 % period &* 2_654_435_761) >> 13) }

  func send() {
    while sent < total {
      let size = min(65_536, total - sent)
      let start = sent % Self.period
      let taken = Self.pattern.withUnsafeBytes { bytes in
        try? stream.write(UnsafeRawBufferPointer(rebasing: bytes[start..<start + size]))
      }
      guard let taken else { break }
      sent += taken
      if taken < size { return }
    }
    myself = nil
  }

  func readable(_ stream: ByteStream) {}
  func writable(_ stream: ByteStream) { send() }
  func hungUp(_ stream: ByteStream, _ error: NetworkError?) { myself = nil }
}

/// @unchecked: confined to its stream's loop.
private final class PatternReceiver: ByteStreamHandler, @unchecked Sendable {
  private let total: Int
  private let waiter: Waiter
  private(set) var count = 0
  private(set) var firstWrong: Int?

  init(_ stream: ByteStream, total: Int) {
    self.total = total
    waiter = Waiter(loop: stream.loop, label: "the pattern's bytes")
    stream.handler = self
  }

  func wait(bytes: Int) async throws { while count < bytes { try await waiter.wait() } }

  func readable(_ stream: ByteStream) {
    while case .bytes(let size)? = try? stream.read(into: stream.loop.scratch) {
      let start = count % PatternSender.period
      let isRight = PatternSender.pattern.withUnsafeBytes { pattern in
        guard let wanted = pattern.baseAddress, let got = stream.loop.scratch.baseAddress else { return false }
        return memcmp(wanted + start, got, size) == 0
      }
      if !isRight, firstWrong == nil { firstWrong = count }
      count += size
    }
    waiter.signal()
  }

  func writable(_ stream: ByteStream) {}
}
