import Core
import FaultProxy
import Network
import Testing

private let entry = FaultEntry.test(Partition(), at: 200, for: 800, target: .share(0.5), name: "island")

private func isCutOff(_ client: UInt32, seed: UInt64 = 1) -> Bool {
  entry.hits(.init(connection: ConnectionID(rawValue: 0), client: ClientID(client), host: ""), seed: seed)
}

@Test func aStableGroupIsCutOffOnOldAndNewConnections() throws {
  let clients: [UInt32] = Array(0..<20)
  let cutOff = clients.filter { isCutOff($0) }
  #expect(!cutOff.isEmpty && cutOff.count < clients.count)
  let world = ProxyWorld([entry], trackFrames: false)
  try world.run {
    var pairs: [(client: Peer, server: Peer)] = []
    for client in clients { pairs.append(try await world.pair(client: client)) }
    try await world.sleep(until: .milliseconds(300))
    for pair in pairs { pair.client.write("hello") }
    let again = try await world.connect(client: cutOff[0])
    again.write("hello again")
    try await world.sleep(until: .milliseconds(990))
    for (client, pair) in zip(clients, pairs) {
      #expect(pair.server.text == (isCutOff(client) ? "" : "hello"))
      #expect(!pair.client.hasEnded)
    }
    #expect(world.servers.count == 20 && !again.hasEnded)
    try await world.sleep(until: .milliseconds(1100))
    for pair in pairs { #expect(pair.server.text == "hello") }
    #expect(world.servers.count == 21 && world.servers[20].text == "hello again")
  }
}

@Test func aRouterCanAnswerWithResets() throws {
  let world = ProxyWorld([.test(Partition(how: .reset), at: 100, for: 900)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair(client: 0)
    try await world.sleep(until: .milliseconds(200))
    #expect(client.failure == .reset && server.failure == .reset)
    let again = try await world.connect(client: 0)
    try await world.sleep(.milliseconds(10))
    #expect(again.failure == .reset)
  }
}
