import Core
import JSON
import Network
import Protocols
import Testing

@testable import ReferenceServer

/// The servers over real sockets of the machine.
@Suite struct SocketTests {
  @Test func aMutationReachesAnotherClientOverTCP() throws {
    let loop = EventLoop(clock: .monotonic)
    try loop.run {
      let transport = TCPTransport(loop: loop)
      let server = OnebaseServer(transport: transport)
      let address = try server.start(on: .loopback(port: 0))
      let (reader, writer) = (
        try await TestClient.connect(transport, to: address), try await TestClient.connect(transport, to: address)
      )
      reader.send(.auth(token: "ok-alice"))
      reader.send(.subscribe(id: 1, path: "notes:list", arguments: ["room": 1]))
      try await reader.wait(messages: 2)
      writer.send(.call(requestId: 1, kind: .mutation, path: "notes:add", arguments: ["room": 1, "text": "Hi"]))
      try await reader.wait(messages: 3)
      guard case .update(let update) = reader.answers[2] else {
        Issue.record("no update")
        return
      }
      #expect(update.outcome.value?.texts == ["Hi"])
      reader.ping([1])
      try await reader.wait { $0.pongs.count == 1 }
      server.close(abruptly: true)
      try await reader.waitForClose()
      #expect(reader.closure?.ending == .reset)
    }
  }
}
