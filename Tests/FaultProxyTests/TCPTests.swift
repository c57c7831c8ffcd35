import Core
import FaultProxy
import Network
import TestSupport
import Testing

/// What only real sockets can prove.
private func onSockets(
  _ fault: any Fault,
  _ body: @escaping @Sendable (Proxy, RecordingStreamHandler, RecordingStreamHandler) async throws -> Void
) throws {
  let loop = EventLoop(clock: .monotonic)
  let transport = TCPTransport(loop: loop)
  try loop.run {
    let servers = Servers(loop)
    let listener = try transport.listen(on: .loopback(port: 0)) { servers.add($0) }
    let configuration = ProxyConfiguration(
      upstream: listener.address, listen: .loopback(port: 0), trackFrames: false)
    let entry = FaultEntry(ordinal: 0, trigger: .at(.zero, for: nil), fault: fault)
    let proxy = Proxy(transport: transport, configuration: configuration, timeline: FaultTimeline([entry]))
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
