import Core
import FaultProxy
import Network
import Testing
import WebSocket

@Test func pongsAreSwallowedAndEverythingElseFlows() throws {
  let world = ProxyWorld([.test(DeadHeartbeat(), at: 100, for: 900)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    let count = world.lines.count
    client.write(Frames.make(.ping, Array("1".utf8), masked: true))
    server.write(
      Frames.make(.pong, Array("1".utf8), masked: false) + Frames.text("data", masked: false)
        + Frames.make(.ping, Array("2".utf8), masked: false))
    client.write(Frames.make(.pong, Array("2".utf8), masked: true))
    try await world.sleep(.milliseconds(10))
    #expect(
      Frames.lines(client.received, masked: false) == [
        "message(data)", "ping(2)",
      ])
    #expect(
      Frames.lines(server.received, masked: true) == ["ping(1)", "pong(2)"])
    let lines = world.lines(since: count)
    #expect(lines.contains("upstream down pong(1) dropped [0]"))
    #expect(!lines.contains { $0.hasPrefix("client down pong") })
    #expect(lines.contains("client down message(data)"))
    #expect(world.application(0).applications == 1)

    try await world.sleep(until: .milliseconds(1100))
    client.forget()
    server.write(Frames.make(.pong, Array("3".utf8), masked: false))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(client.received, masked: false) == ["pong(3)"])
  }
}

@Test func framesCutAnywhereAreDroppedWholeOrPassWhole() throws {
  let world = ProxyWorld([.test(DeadHeartbeat(), at: 100)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    let fragments =
      Frames.make(.text, Array("one ".utf8), fin: false, masked: false)
      + Frames.make(.pong, Array("between".utf8), masked: false)
      + Frames.make(.continuation, Array("message".utf8), masked: false)
    let long = Frames.text(String(repeating: "long", count: 100), masked: false)
    for byte in fragments + long {
      server.write([byte])
      try await world.sleep(.milliseconds(2))
    }
    #expect(
      Frames.lines(client.received, masked: false) == [
        "message(one message)",
        "message(\(String(repeating: "long", count: 100)))",
      ])
  }
}

@Test func aFrameThatHadBegunToPassPassesAndOneThatWasDroppedStaysDropped() throws {
  let world = ProxyWorld([.test(DeadHeartbeat(), at: 100, for: 200)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    let pong = Frames.make(.pong, Array("whole".utf8), masked: false)
    server.write(pong.prefix(3))
    try await world.sleep(until: .milliseconds(150))
    server.write(pong.dropFirst(3))
    try await world.sleep(until: .milliseconds(250))
    #expect(Frames.lines(client.received, masked: false) == ["pong(whole)"])
    client.forget()
    server.write(pong.prefix(4))
    try await world.sleep(until: .milliseconds(350))
    server.write(pong.dropFirst(4) + Frames.text("next", masked: false))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(client.received, masked: false) == ["message(next)"])
  }
}
