import Core
import JSON
import Network
import Protocols
import TestSupport
import Testing
import WebSocket

@testable import ReferenceServer

/// The server over an in-memory network without latency, in virtual time.
@Suite struct OnebaseServerTests {
  private static let address = SocketAddress.loopback(port: 4000)

  /// Runs `body` with a started server.
  private func serve(
    _ configure: (inout OnebaseServerOptions) -> Void = { _ in },
    _ body: @escaping @Sendable (VirtualWorld, OnebaseServer) async throws -> Void
  ) throws {
    let world = VirtualWorld(latency: .zero)
    var options = OnebaseServerOptions()
    configure(&options)
    let server = OnebaseServer(transport: world.transport, options: options)
    try world.run {
      try server.start(on: Self.address)
      try await body(world, server)
      server.close()
    }
  }

  private func connect(_ world: VirtualWorld, path: String = "/api/sync") async throws -> TestClient {
    try await TestClient.connect(world.transport, to: Self.address, path: path)
  }

  @Test func aClientAuthenticatesSubscribesAndCalls() throws {
    try serve { world, server in
      let client = try await connect(world)
      client.send(.auth(token: "ok-alice"))
      client.send(.subscribe(id: 1, path: "notes:list", arguments: ["room": 1]))
      client.send(.call(requestId: 2, kind: .mutation, path: "notes:add", arguments: ["room": 1, "text": "Hi"]))
      try await client.wait(messages: 3)
      guard case .authenticated = client.answers[0], case .update = client.answers[1],
        case .transition(let updates, let results) = client.answers[2]
      else {
        Issue.record("\(client.answers)")
        return
      }
      #expect(updates.count == 1)
      #expect(results.map(\.requestId) == [2])
      #expect(server.statistics.open == 1)
      client.close()
      try await client.waitForClose()
      try await world.sleep(.milliseconds(1))
      #expect(server.statistics.open == 0)
    }
  }

  @Test func anIdleConnectionIsClosedAfterExactlyTwoMinutes() throws {
    try serve { world, server in
      let client = try await connect(world)
      client.send(.auth(token: nil))
      try await client.wait(messages: 1)
      let last = world.now
      try await client.waitForClose()
      #expect(client.closedAt.map { $0 - last } == .seconds(120))
      #expect(client.closure?.closeFrame == .init(code: 1000, reason: "idle"))
      #expect(server.statistics.idleCloses == 1)
      #expect(server.statistics.open == 0)
    }
  }

  @Test func pingsKeepAConnectionOpen() throws {
    try serve { world, server in
      let client = try await connect(world)
      for _ in 0..<10 {
        try await world.sleep(.seconds(119))
        client.ping([7])
      }
      try await client.wait { $0.pongs.count == 10 }
      let last = world.now
      #expect(client.closure == nil)
      try await client.waitForClose()
      #expect(client.closedAt.map { $0 - last } == .seconds(120))
    }
  }

  @Test func updatesThatGoOutKeepAConnectionOpen() throws {
    try serve { world, server in
      let (reader, writer) = (try await connect(world), try await connect(world))
      reader.send(.subscribe(id: 1, path: "counter:get", arguments: [:]))
      for request in 0..<5 {
        try await world.sleep(.seconds(100))
        writer.send(.call(requestId: Int64(request), kind: .mutation, path: "counter:increment", arguments: [:]))
      }
      try await reader.wait(messages: 6)
      #expect(reader.closure == nil)
      #expect(server.statistics.open == 2)
    }
  }

  @Test func theIdleTimeoutIsAnOption() throws {
    try serve({ $0.idleTimeout = .seconds(5) }) { world, _ in
      let client = try await connect(world)
      try await client.waitForClose()
      #expect(client.closedAt == .seconds(5))
    }
    try serve({ $0.misbehave = [.earlyIdleClose] }) { world, _ in
      let client = try await connect(world)
      try await client.waitForClose()
      #expect(client.closedAt == .seconds(60))
    }
    try serve({ $0.idleTimeout = nil }) { world, _ in
      let client = try await connect(world)
      try await world.sleep(.seconds(100_000))
      #expect(client.closure == nil)
    }
  }

  @Test func pingsAreAnsweredUnlessTheServerMisbehaves() throws {
    try serve({ $0.misbehave = [.noPong] }) { world, _ in
      let client = try await connect(world)
      client.ping([1])
      // The fence: an answer to what was sent after the ping.
      client.send(.auth(token: nil))
      try await client.wait(messages: 1)
      #expect(client.pongs.isEmpty)
    }
  }

  @Test func aDelayedServerAnswersLaterAndInOrder() throws {
    try serve({ $0.delay = .milliseconds(250) }) { world, _ in
      let client = try await connect(world)
      client.send(.auth(token: nil))
      client.send(.call(requestId: 1, kind: .query, path: "me:get", arguments: [:]))
      try await world.sleep(.milliseconds(100))
      client.send(.call(requestId: 2, kind: .query, path: "me:get", arguments: [:]))
      try await client.wait(messages: 3)
      #expect(client.messages.map(\.at) == [.milliseconds(250), .milliseconds(250), .milliseconds(350)])
    }
  }

  @Test func delayedMessagesAreCapped() throws {
    try serve({
      $0.delay = .seconds(1)
      $0.limits.delayedMessages = 5
    }) { world, _ in
      let client = try await connect(world)
      for _ in 0..<6 { client.send(.auth(token: nil)) }
      try await client.waitForClose()
      #expect(client.closure?.closeFrame?.code == 1013)
    }
  }

  @Test func aFrozenServerCatchesUpWhenItThaws() throws {
    try serve({
      $0.freezeAt = .seconds(10)
      $0.freezeFor = .seconds(2)
    }) { world, _ in
      let client = try await connect(world)
      for number in 0..<5 {
        try await world.loop.sleep(until: Instant.seconds(9) + .milliseconds(700 * number))
        client.send(.call(requestId: Int64(number), kind: .query, path: "me:get", arguments: [:]))
        client.ping([UInt8(number)])
      }
      let late = try await connect(world)
      late.send(.auth(token: nil))
      try await client.wait(messages: 5)
      try await late.wait(messages: 1)
      #expect(
        client.messages.map(\.at) == [.seconds(9), .milliseconds(9700), .seconds(12), .seconds(12), .seconds(12)])
      #expect(client.pongs.map(\.at) == client.messages.map(\.at))
      #expect(late.messages[0].at == .seconds(12))
    }
  }

  @Test func aFreezeHoldsDelayedMessagesToo() throws {
    try serve({ $0.delay = .milliseconds(250) }) { world, server in
      let client = try await connect(world)
      try await world.loop.sleep(until: .milliseconds(9900))
      client.send(.call(requestId: 1, kind: .query, path: "me:get", arguments: [:]))
      try await world.loop.sleep(until: .seconds(10))
      server.freeze(for: .seconds(1))
      server.freeze(for: .seconds(2))
      client.send(.call(requestId: 2, kind: .query, path: "me:get", arguments: [:]))
      try await client.wait(messages: 2)
      #expect(client.messages.map(\.at) == [.seconds(12), .milliseconds(12_250)])
    }
  }

  @Test func aFreezeIsNoIdleTime() throws {
    try serve { world, server in
      let client = try await connect(world)
      try await world.sleep(.seconds(100))
      server.freeze(for: .seconds(50))
      try await client.waitForClose()
      #expect(client.closedAt == .seconds(270))
    }
  }

  @Test func aDeployIsScheduled() throws {
    try serve({ $0.deployAt = .seconds(30) }) { world, _ in
      let client = try await connect(world)
      client.send(.subscribe(id: 1, path: "late:greet", arguments: [:]))
      try await client.wait(messages: 2)
      #expect(client.messages[1].at == .seconds(30))
    }
  }

  @Test func scheduledTimesCanCountFromAnotherInstant() throws {
    try serve({ $0.deployAt = .seconds(30) }) { world, server in
      server.begin(at: .seconds(5))
      let client = try await connect(world)
      client.send(.subscribe(id: 1, path: "late:greet", arguments: [:]))
      try await client.wait(messages: 2)
      #expect(client.messages[1].at == .seconds(35))
    }
  }

  @Test func aRestartKeepsWhatIsScheduled() throws {
    try serve({ $0.deployAt = .seconds(30) }) { world, server in
      server.restart(after: .seconds(1))
      try await world.sleep(.seconds(2))
      let client = try await connect(world)
      client.send(.subscribe(id: 1, path: "late:greet", arguments: [:]))
      try await client.wait(messages: 2)
      #expect(client.messages[1].at == .seconds(30))
    }
  }

  @Test func badMessagesEndOnlyTheirOwnConnection() throws {
    try serve { world, server in
      let (good, bad, big) = (try await connect(world), try await connect(world), try await connect(world))
      bad.send(text: "hello")
      try await bad.waitForClose()
      #expect(bad.closure?.closeFrame?.code == 1008)
      big.send(text: String(repeating: "x", count: 2 << 20))
      try await big.waitForClose()
      #expect(big.closure?.closeFrame?.code == 1009)
      good.send(.auth(token: nil))
      try await good.wait(messages: 1)
      #expect(server.statistics.open == 1)
    }
  }

  @Test func otherPathsAreNotFound() throws {
    try serve { world, _ in
      let client = try await connect(world, path: "/elsewhere")
      #expect(client.refused?.status == 404)
    }
  }

  @Test func callsAreServedOverHTTP() throws {
    try serve { world, _ in
      let client = ByteStreamHTTPClient(transport: world.transport)
      let origin = HTTPOrigin(host: "127.0.0.1", port: 4000)
      func post(_ path: String, _ body: String, _ token: String? = nil) async throws -> HTTPResponse {
        var request = HTTPRequest(method: "POST", target: path, body: Array(body.utf8))
        if let token { request.headers.set("Authorization", "Bearer \(token)") }
        return try await client.send(request, to: origin)
      }
      let me = try await post("/api/query", #"{"path":"me:get","args":{}}"#, "ok-alice")
      #expect(me.status == 200)
      #expect(String(decoding: me.body, as: UTF8.self).contains(#""subject":"alice""#))
      #expect(me.headers.first("Content-Type") == "application/json")
      let bad = try await post("/api/query", #"{"path":"me:get","args":{}}"#, "nonsense")
      #expect(bad.status == 401)
      #expect(bad.headers.first("WWW-Authenticate") == "Bearer")
      #expect(try await post("/api/nothing", "{}").status == 404)
      #expect(try await client.send(HTTPRequest(target: "/api/query"), to: origin).status == 405)
      let socket = try await connect(world)
      socket.send(.subscribe(id: 1, path: "notes:list", arguments: [:]))
      try await socket.wait(messages: 1)
      #expect(try await post("/api/mutation", #"{"path":"notes:add","args":{"text":"Hi"}}"#).status == 200)
      try await socket.wait(messages: 2)
      #expect(try await post("/api/query", String(repeating: " ", count: 2 << 20)).status == 413)
      client.closeIdle()
    }
  }

  @Test func admissionCanRefuseWithARetryAfter() throws {
    try serve { world, server in
      server.admission = { request, _, _ in
        request.path == "/api/query" ? .refused(retryAfter: .milliseconds(1500)) : .admitted
      }
      let client = ByteStreamHTTPClient(transport: world.transport)
      let answer = try await client.send(
        HTTPRequest(method: "POST", target: "/api/query"), to: HTTPOrigin(host: "127.0.0.1", port: 4000))
      #expect(answer.status == 429)
      #expect(answer.headers.first("Retry-After") == "2")
      client.closeIdle()
    }
  }

  @Test func aRestartedServerHasItsDataAndNoConnections() throws {
    try serve { world, server in
      let first = try await connect(world)
      first.send(.call(requestId: 1, kind: .mutation, path: "counter:increment", arguments: [:]))
      try await first.wait(messages: 1)
      server.restart(after: .seconds(3), abruptly: true)
      try await first.waitForClose()
      #expect(first.closure?.ending == .reset)
      await #expect(throws: NetworkError.refused) { try await connect(world) }
      try await world.sleep(.seconds(3))
      let second = try await connect(world)
      second.send(.call(requestId: 1, kind: .query, path: "counter:get", arguments: [:]))
      try await second.wait(messages: 1)
      guard case .result(let result) = second.answers[0] else {
        Issue.record("no result")
        return
      }
      #expect(result.outcome.value?["value"] == 1)
    }
  }
}
