import Core
import Network
import TestSupport
import Testing
import WebSocket

@testable import ReferenceServer

@Suite struct EchoServerTests {
  private static let address = SocketAddress.loopback(port: 4001)

  @Test func messagesComeBackAsTheyWereAtAnyPath() throws {
    let world = VirtualWorld(latency: .zero)
    try world.run {
      let server = EchoServer(transport: world.transport)
      try server.start(on: Self.address)
      let client = try await TestClient.connect(world.transport, to: Self.address, path: "/any/where?x=1")
      client.send(text: "one")
      client.send(text: "two")
      try await client.wait(messages: 2)
      #expect(client.messages.map { String(decoding: $0.payload, as: UTF8.self) } == ["one", "two"])
      #expect(server.messages == 2)
      client.close()
      try await client.waitForClose()
      try await world.sleep(.milliseconds(1))
      #expect(server.open == 0)
      server.close()
    }
  }

  @Test func aFreezeHoldsWhatComesAndThenAnswersIt() throws {
    let world = VirtualWorld(latency: .zero)
    try world.run {
      var options = EchoServerOptions()
      options.freezeAt = .seconds(1)
      options.freezeFor = .seconds(2)
      let server = EchoServer(transport: world.transport, options: options)
      try server.start(on: Self.address)
      let client = try await TestClient.connect(world.transport, to: Self.address)
      for second in 0..<5 {
        try await world.loop.sleep(until: .milliseconds(Double(500 + second * 1000)))
        client.send(text: "\(second)")
      }
      try await client.wait(messages: 5)
      #expect(
        client.messages.map(\.at) == [
          .milliseconds(500), .seconds(3), .seconds(3), .milliseconds(3500), .milliseconds(4500),
        ])
      server.close()
    }
  }

  @Test func plainRequestsAreToldToUpgrade() throws {
    let world = VirtualWorld(latency: .zero)
    try world.run {
      let server = EchoServer(transport: world.transport)
      try server.start(on: Self.address)
      let client = ByteStreamHTTPClient(transport: world.transport)
      let answer = try await client.send(HTTPRequest(), to: HTTPOrigin(host: "127.0.0.1", port: 4001))
      #expect(answer.status == 426)
      client.closeIdle()
      server.close()
    }
  }

  @Test func anIdleTimeoutIsAnOption() throws {
    let world = VirtualWorld(latency: .zero)
    try world.run {
      var options = EchoServerOptions()
      options.idleTimeout = .seconds(30)
      let server = EchoServer(transport: world.transport, options: options)
      try server.start(on: Self.address)
      let client = try await TestClient.connect(world.transport, to: Self.address)
      try await client.waitForClose()
      #expect(client.closedAt == .seconds(30))
      server.close()
    }
  }
}
