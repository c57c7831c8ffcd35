import Core
import FaultProxy
import Network
import Testing
import WebSocket

@Test func resetReachesBothSidesOfIdleConnectionsAndNewOnesWork() throws {
  let world = ProxyWorld([.test(Reset(), at: 1000, target: .fleet(name: "a", first: ClientID(0), count: 3))])
  try world.run {
    var pairs: [(client: Peer, server: Peer)] = []
    for number in 0..<5 { pairs.append(try await world.webSocket(client: UInt32(number))) }
    try await world.sleep(until: .milliseconds(1002))
    for pair in pairs.prefix(3) {
      #expect(pair.client.failure == .reset && pair.client.failedAt == .milliseconds(1001))
      #expect(pair.server.failure == .reset && pair.server.failedAt == .milliseconds(1001))
    }
    for pair in pairs.suffix(2) { #expect(!pair.client.hasEnded && !pair.server.hasEnded) }
    let again = try await world.webSocket(client: 0)
    #expect(!again.client.hasEnded)
    let application = world.application(0)
    #expect(application.applications == 3)
    #expect(application.clients == [0...2])
    #expect(application.connections == [1...3])
    #expect(application.span == .zero)
    #expect(application.started == .seconds(1) && application.ended == .seconds(1))
  }
}

@Test func resetTakesManyConnectionsInSlicesAndInSeededOrder() throws {
  func order(_ seed: UInt64) throws -> [UInt64] {
    let world = ProxyWorld([.test(Reset(), at: 2000)], seed: seed, trackFrames: false)
    var ids: [UInt64] = []
    try world.run {
      for number in 0..<600 { _ = try await world.connect(client: UInt32(number)) }
      try await world.sleep(until: .seconds(3))
    }
    for observation in world.seen.all {
      if case .fault(let edge) = observation.event, edge.edge == .applied {
        ids.append(observation.connection.rawValue)
      }
    }
    return ids
  }
  let first = try order(1)
  #expect(first.sorted() == Array(1...600))
  #expect(first != Array(1...600))
  #expect(try order(1) == first)
  #expect(try order(2) != first)
}

@Test func closeSendsAFINAndNoCloseFrame() throws {
  let world = ProxyWorld([.test(Close(), at: 1000)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(1005))
    #expect(client.ended == .milliseconds(1001) && server.ended == .milliseconds(1001))
    #expect(client.received.isEmpty && server.received.isEmpty)
    // What peers still say is for nobody.
    client.write(Frames.text("late", masked: true))
    try await world.sleep(.milliseconds(10))
    #expect(server.received.isEmpty)
    client.stream.close()
    server.stream.close()
    try await world.sleep(.milliseconds(10))
    #expect(world.proxy.statistics.open == 0 && world.proxy.statistics.failures.isEmpty)
  }
}

@Test func whoNeverEndsAfterACloseIsResetInTheEnd() throws {
  let world = ProxyWorld([.test(Close(), at: 1000)])
  try world.run {
    let (client, _) = try await world.webSocket(client: 0)
    try await world.sleep(until: .seconds(10))
    #expect(world.proxy.statistics.open == 1)
    try await world.sleep(until: .milliseconds(11_010))
    #expect(world.proxy.statistics.open == 0)
    #expect(client.failure == .reset)
    #expect(world.proxy.statistics.failures == [.init(name: "no end after a FIN", count: 1)])
  }
}

@Test func aCloseFrameWaitsForTheEndOfTheFrame() throws {
  let world = ProxyWorld([.test(CloseFrame(code: 1012, reason: "restart"), at: 1000)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    let frame = Frames.text("a message in two halves", masked: false)
    try await world.sleep(until: .milliseconds(900))
    server.write(frame.prefix(10))
    try await world.sleep(until: .milliseconds(1100))
    #expect(client.received == Array(frame.prefix(10)))
    server.write(frame.dropFirst(10) + Frames.text("too late", masked: false))
    try await world.sleep(until: .milliseconds(1200))
    #expect(
      Frames.lines(client.received, masked: false) == [
        "message(a message in two halves)",
        "close(1012 restart)",
      ])
    #expect(client.ended != nil)
    #expect(world.lines.contains("client down closeFrame(1012 restart) injected [0]"))
    #expect(world.lines.contains("upstream down message(too late) dropped [0]"))
    // The other direction lives: the client's answer reaches the server.
    client.write(Frames.make(.close, FrameWriter.closePayload(code: 1012), masked: true))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(server.received, masked: true) == ["close(1012 )"])
  }
}

@Test func aCloseFrameGoesBetweenTheFragmentsOfAMessage() throws {
  let world = ProxyWorld([.test(CloseFrame(), at: 1000)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    server.write(Frames.make(.text, Array("first".utf8), fin: false, masked: false))
    try await world.sleep(until: .milliseconds(1100))
    #expect(Frames.lines(client.received, masked: false) == ["close(1001 )"])
    #expect(client.ended == .milliseconds(1001))
  }
}

@Test func aCloseFrameTowardsTheServerIsMasked() throws {
  let world = ProxyWorld([.test(CloseFrame(code: 1000), at: 1000, direction: .both)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(1100))
    #expect(Frames.lines(server.received, masked: true) == ["close(1000 )"])
    #expect(Frames.lines(client.received, masked: false) == ["close(1000 )"])
    #expect(client.ended != nil && server.ended != nil)
  }
}

@Test func aHeldBlackholeKeepsACloseFrameInOrder() throws {
  let world = ProxyWorld([
    .test(Blackhole(), at: 500, for: 1500, direction: .down), .test(CloseFrame(), at: 1000, ordinal: 1),
  ])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(600))
    server.write(Frames.text("before", masked: false))
    try await world.sleep(until: .milliseconds(1900))
    #expect(client.received.isEmpty)
    try await world.sleep(until: .milliseconds(2100))
    #expect(
      Frames.lines(client.received, masked: false) == [
        "message(before)", "close(1001 )",
      ])
    #expect(client.ended == .milliseconds(2001))
  }
}
