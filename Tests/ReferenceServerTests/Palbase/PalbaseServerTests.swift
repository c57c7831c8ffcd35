import Core
import JSON
import Network
import Protocols
import TestSupport
import Testing
import WebSocket

@testable import ReferenceServer

/// The server on the virtual network: sockets, HTTP and time.
@Suite struct PalbaseServerTests {
  private func run(
    _ change: @escaping @Sendable (inout PalbaseServerOptions) -> Void = { _ in },
    _ body: @escaping @Sendable (VirtualWorld, PalbaseServer, SocketAddress) async throws -> Void
  ) throws {
    let world = VirtualWorld()
    try world.run {
      var options = PalbaseServerOptions()
      change(&options)
      let server = PalbaseServer(transport: world.transport, options: options)
      let address = try server.start(on: .loopback(port: 4000))
      try await body(world, server, address)
      server.close()
    }
  }

  @Test func presenceGoesWithinASecondOfACloseAndOfAReset() throws {
    try run { world, server, address in
      let watcher = try await TestClient.member(world, address, "w")
      for isReset in [false, true] {
        let writer = try await TestClient.member(world, address, "a")
        writer.send(.stateSet(key: "here", value: true, life: .ephemeral))
        let before = watcher.messages.count
        try await watcher.wait(messages: before + 1)
        let cut = world.now
        if isReset { writer.abort() } else { writer.close() }
        try await watcher.wait(messages: before + 2)
        #expect(watcher.palbase.last?.body == .stateChange(key: "here", entry: nil, version: isReset ? 4 : 2))
        #expect(world.now - cut <= .seconds(1))
      }
    }
  }

  @Test func presenceOfASilentMemberGoesAtTheTimeoutAndABeatEvery27SecondsKeepsIt() throws {
    try run { world, server, address in
      let watcher = try await TestClient.member(world, address, "w")
      let silent = try await TestClient.member(world, address, "s")
      silent.send(.stateSet(key: "here", value: true, life: .ephemeral))
      try await watcher.wait(messages: 3)
      let since = watcher.messages[2].at
      for _ in 0..<4 {
        try await world.sleep(.seconds(27.5))
        watcher.heartbeat()
      }
      let change = try #require(
        watcher.messages.first { String(decoding: $0.payload, as: UTF8.self).contains("\"entry\":null") })
      #expect(change.at - since >= .seconds(59.9) && change.at - since <= .seconds(61))
      #expect(silent.closure != nil)
      #expect(watcher.closure == nil)
      #expect(server.statistics.silenceCloses == 1)
    }
  }

  @Test func serverCallsAndUpgradesShareThePort() throws {
    try run({ $0.limits.connections = 1 }) { world, server, address in
      let client = ByteStreamHTTPClient(transport: world.transport)
      func call(_ method: String, _ path: String, _ body: String, key: String = "obload-secret") async throws -> Int {
        let headers = HTTPHeaders([HeaderField("Authorization", "Bearer \(key)")])
        return try await client.send(
          HTTPRequest(method: method, target: path, headers: headers, body: Array(body.utf8)),
          to: HTTPOrigin(host: "127.0.0.1", port: 4000)
        ).status
      }
      #expect(
        try await call("PUT", "/realtime/channels", #"{"channels":[{"pattern":"c:{i}","kind":"public"}]}"#) == 200)
      #expect(try await call("PUT", "/realtime/limits", #"{"connections":2}"#) == 422)
      #expect(try await call("PUT", "/realtime/limits", "nonsense") == 400)
      #expect(try await call("PUT", "/realtime/limits", "{}", key: "x") == 401)
      #expect(try await call("GET", "/other", "") == 404)
      let first = try await TestClient.connect(world.transport, to: address, path: server.options.path + "?vsn=2.0.0")
      #expect(first.opened)
      let second = try await TestClient.connect(world.transport, to: address, path: server.options.path)
      #expect(second.refused?.status == 429)
      #expect(try await call("POST", "/realtime/broadcast", #"{"topic":"c:1","event":"m"}"#) == 200)
    }
  }

  @Test func socketsAreRefusedOnceTheQuotaIsUsedUp() throws {
    try run({ $0.quotaUsedUpAt = .seconds(10) }) { world, server, address in
      let first = try await TestClient.connect(world.transport, to: address, path: server.options.path)
      #expect(first.opened)
      try await world.sleep(.seconds(10))
      let second = try await TestClient.connect(world.transport, to: address, path: server.options.path)
      #expect(second.refused?.status == 429)
      #expect(first.closure == nil)
    }
  }

  @Test func aMessageThatIsTooLargeEndsItsConnection() throws {
    try run({ $0.messageBytes = 1000 }) { world, server, address in
      let client = try await TestClient.connect(world.transport, to: address, path: server.options.path)
      client.send(text: String(repeating: "x", count: 1001))
      try await client.waitForClose()
      #expect(client.closure?.closeFrame?.code == 1009)
      let other = try await TestClient.connect(world.transport, to: address, path: server.options.path)
      other.send(text: "nonsense")
      try await other.waitForClose()
      #expect(other.closure?.closeFrame?.code == 1008)
      #expect(server.statistics.open == 0)
    }
  }

  @Test func aRestartKeepsDurableStateAndLosesPresence() throws {
    try run { world, server, address in
      let first = try await TestClient.member(world, address, "a")
      first.send(.stateSet(key: "kept", value: 1, life: .durable))
      first.send(.stateSet(key: "here", value: 1, life: .ephemeral))
      try await first.wait(messages: 4)
      server.restart(after: .seconds(1), abruptly: true)
      try await first.waitForClose()
      try await world.sleep(.seconds(2))
      let again = try await TestClient.member(world, address, "a")
      #expect(
        again.palbase.last?.body == .state(entries: ["kept": PalbaseEntry(value: 1, isOwn: true)], version: 3))
    }
  }

  @Test func everyOptionIsRead() {
    let (value, diagnostics) = LocatedJSON.read(
      """
      { path: "/rt/websocket", adminPath: "/admin", projectRef: "p", secretKey: "s", silenceTimeout: "10s",
        quotaUsedUp: true, quotaUsedUpAt: "5s", freezeAt: "1s", freezeFor: "2s", tokenConventions: false,
        tokens: { t: { subject: "m1" } }, messageBytes: "4KiB", totalStateBytes: "1MiB",
        channels: [{ pattern: "c:{i}", kind: "public", state_read: true }],
        limits: { connections: 1, broadcasts_per_second: 2, project_broadcasts_per_second: 3,
                  state_writes_per_second: 4, project_state_writes_per_second: 5, joins_per_second: 6,
                  channels_per_connection: 7, state_bytes: "8B" } }
      """)
    let options = PalbaseServerOptions.decode(value ?? LocatedValue(.null, at: .outside("test")), diagnostics)
    #expect(diagnostics.all.isEmpty)
    #expect(options.path == "/rt/websocket" && options.adminPath == "/admin" && options.projectRef == "p")
    #expect(options.silenceTimeout == .seconds(10) && options.isQuotaUsedUp && options.quotaUsedUpAt == .seconds(5))
    #expect(options.channels.map(\.rights) == [ChannelRights(publish: false, stateRead: true, stateWrite: false)])
    #expect(PalbaseLimits.names.map { options.limits[keyPath: $0.1] } == Array(1...8))
    let (wrong, mistakes) = LocatedJSON.read(
      #"{ channels: [{ pattern: "flags:{x}", kind: "public" }], limits: { joins: 1 }, path: "x", secretKey: "" }"#)
    _ = PalbaseServerOptions.decode(wrong ?? LocatedValue(.null, at: .outside("test")), mistakes)
    #expect(mistakes.all.count == 4)
  }
}

extension TestClient {
  /// A client that has joined `room:1` as that user and was handed the state: two messages.
  fileprivate static func member(
    _ world: VirtualWorld, _ address: SocketAddress, _ user: String
  ) async throws -> TestClient {
    let client = try await connect(world.transport, to: address, path: PalbaseServerOptions().path)
    client.send(.join(token: "ok-\(user)"))
    try await client.wait(messages: 2)
    return client
  }

  fileprivate func send(_ body: PalbaseClientMessage.Body) {
    let message = PalbaseClientMessage(body, topic: "room:1", ref: 1)
    send(text: String(decoding: message.encoded(), as: UTF8.self))
  }

  fileprivate func heartbeat() {
    send(text: String(decoding: PalbaseClientMessage.heartbeat(ref: 2).encoded(), as: UTF8.self))
  }

  fileprivate var palbase: [PalbaseServerMessage] {
    messages.compactMap { try? PalbaseServerMessage.decode($0.payload) }
  }
}
