import Core
import FaultProxy
import JSON
import Network
import Testing
import WebSocket

private func json(_ type: String, _ id: Int) -> String { #"{"type":"\#(type)","id":\#(id)}"# }

/// Sends texts from the server under the faults, 10 ms apart from 200 ms on; what comes to the client, and when.
private func received(
  _ faults: [FaultEntry], _ texts: [String], until end: Int = 3000
) throws -> (lines: [String], at: [Instant], told: [String], applications: UInt64) {
  let world = ProxyWorld(faults, latency: .zero)
  let kept = Kept<(lines: [String], at: [Instant], told: [String], applications: UInt64)>(([], [], [], 0))
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    let count = world.lines.count
    for text in texts {
      server.write(Frames.text(text, masked: false))
      try await world.sleep(.milliseconds(10))
    }
    try await world.sleep(until: .milliseconds(Double(end)))
    kept.value = (
      Frames.lines(client.received, masked: false), client.arrivals.map(\.at), world.lines(since: count),
      world.application(0).applications
    )
  }
  return kept.value
}

@Test func aMessageThatMatchesIsDropped() throws {
  let seen = try received(
    [.test(DropMessage(match: MessageMatch(type: "b", times: 1)), at: 100)], [json("a", 1), json("b", 2), json("b", 3)])
  #expect(seen.lines == ["message(\(json("a", 1)))", "message(\(json("b", 3)))"])
  #expect(seen.told.contains("upstream down message(\(json("b", 2))) dropped [0]"))
  #expect(seen.told.count == 5 && seen.applications == 1)
}

@Test func controlFramesCanBeDroppedToo() throws {
  let world = ProxyWorld([.test(DropMessage(match: MessageMatch(opcode: .ping, every: 2)), at: 100, direction: .up)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    for number in 0..<4 { client.write(Frames.make(.ping, Array("\(number)".utf8), masked: true)) }
    client.write(Frames.text("data", masked: true))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(server.received, masked: true) == ["ping(0)", "ping(2)", "message(data)"])
  }
}

@Test func aDelayedMessageIsOvertakenAndComesAtItsTime() throws {
  let match = MessageMatch(type: "slow")
  let seen = try received(
    [.test(DelayMessage(delay: DrawnDuration(mean: .milliseconds(100)), match: match), at: 100, direction: .down)],
    [json("slow", 1), json("fast", 2), json("fast", 3)])
  #expect(
    seen.lines == ["message(\(json("fast", 2)))", "message(\(json("fast", 3)))", "message(\(json("slow", 1)))"])
  #expect(seen.at == [.milliseconds(210), .milliseconds(220), .milliseconds(300)])
  #expect(seen.told.first == "upstream down message(\(json("slow", 1))) delayed [0]")
  #expect(seen.told.last == "client down message(\(json("slow", 1))) delayed [0]")
  #expect(seen.told.count == 6)
}

@Test func aDelayedMessageGoesOnAtOnceWhenItsFaultEndsAndBeforeAFIN() throws {
  let delay = DelayMessage(delay: DrawnDuration(mean: .seconds(60)))
  let world = ProxyWorld([.test(delay, at: 100, for: 400)], latency: .zero)
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    server.write(Frames.text("first", masked: false) + Frames.text("second", masked: false))
    server.stream.shutdownWrite()
    try await world.sleep(until: .milliseconds(490))
    #expect(client.received.isEmpty && !client.hasEnded)
    try await world.sleep(until: .milliseconds(510))
    #expect(Frames.lines(client.received, masked: false) == ["message(first)", "message(second)"])
    #expect(client.ended == .milliseconds(500))
  }
}

@Test func aDelayedMessageWaitsForTheEndOfAFragmentedOneThatHadBegunToPass() throws {
  let delay = DelayMessage(delay: DrawnDuration(mean: .milliseconds(50)))
  let world = ProxyWorld([.test(delay, at: 100)], latency: .zero)
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    server.write(Frames.make(.text, Array("one ".utf8), fin: false, masked: false))
    try await world.sleep(until: .milliseconds(150))
    server.write(Frames.make(.continuation, Array("two ".utf8), fin: false, masked: false))
    try await world.sleep(until: .milliseconds(400))
    server.write(
      Frames.make(.continuation, Array("three".utf8), masked: false) + Frames.text("delayed", masked: false))
    try await world.sleep(until: .milliseconds(420))
    #expect(Frames.lines(client.received, masked: false) == ["message(one two three)"])
    // A ping in two parts has begun: the message goes before it, not into it.
    let ping = Frames.make(.ping, Array("whole".utf8), masked: false)
    server.write(ping.prefix(3))
    try await world.sleep(until: .milliseconds(500))
    server.write(ping.dropFirst(3))
    try await world.sleep(until: .milliseconds(600))
    #expect(
      Frames.lines(client.received, masked: false) == ["message(one two three)", "message(delayed)", "ping(whole)"])
  }
}

@Test func aMessageIsDuplicated() throws {
  let seen = try received(
    [.test(DuplicateMessage(copies: 2, match: MessageMatch(id: "2")), at: 100)], [json("a", 1), json("a", 2)])
  let (one, two) = ("message(\(json("a", 1)))", "message(\(json("a", 2)))")
  #expect(seen.lines == [one, two, two, two])
  #expect(
    seen.told == [
      "upstream down \(one)", "client down \(one)", "upstream down \(two) [0]", "client down \(two) [0]",
      "client down \(two) injected [0]", "client down \(two) injected [0]",
    ])
}

@Test func messagesAreReorderedWithinTheirWindow() throws {
  let texts = (0..<7).map { json("a", $0) }
  let fault = ReorderMessages(window: 3, within: .milliseconds(100))
  let seen = try received([.test(fault, at: 100)], texts)
  #expect(seen.lines.count == 7 && Set(seen.lines) == Set(texts.map { "message(\($0))" }))
  for window in [0..<3, 3..<6] {
    let sent = texts[window].map { "message(\($0))" }
    #expect(Set(seen.lines[window]) == Set(sent) && Array(seen.lines[window]) != sent)
  }
  // The last has nobody to wait for, and goes when its time is over.
  #expect(seen.lines[6] == "message(\(texts[6]))" && seen.at.last == .milliseconds(360))
  #expect(seen.told.filter { $0.hasPrefix("upstream down") && $0.hasSuffix("delayed [0]") }.count == 7)
  #expect(seen.told.filter { $0.hasPrefix("client down") && $0.hasSuffix("delayed [0]") }.count == 7)
}

@Test func membersAreSetAndRemoved() throws {
  let edits = [JSONEdit(path: "type", value: nil), JSONEdit(path: "id", value: "x")].compactMap { $0 }
  let seen = try received(
    [.test(EditMessage(edits: edits, match: MessageMatch(type: "a")), at: 100)], [json("a", 1), json("b", 2)])
  #expect(seen.lines == [#"message({"id":"x"})"#, "message(\(json("b", 2)))"])
  #expect(
    seen.told.prefix(2) == [
      "upstream down message(\(json("a", 1))) edited [0]", #"client down message({"id":"x"}) edited [0]"#,
    ])
}

@Test func messageFaultsCombineInTheOrderWritten() throws {
  let edit = EditMessage(edits: [JSONEdit(path: "id", value: 9)].compactMap { $0 })
  let delay = DelayMessage(delay: DrawnDuration(mean: .milliseconds(100)), match: MessageMatch(id: "9"))
  let copy = DuplicateMessage()
  let seen = try received(
    [.test(edit, at: 100), .test(delay, at: 100, ordinal: 1), .test(copy, at: 100, ordinal: 2)], [json("a", 1)])
  #expect(seen.lines == ["message(\(json("a", 9)))", "message(\(json("a", 9)))"])
  #expect(seen.at == [.milliseconds(300)])
  #expect(
    seen.told == [
      "upstream down message(\(json("a", 1))) edited [0, 1]", "client down message(\(json("a", 9))) edited [0, 1, 2]",
      "client down message(\(json("a", 9))) injected [0, 1, 2]",
    ])
  // The other way round the delay does not see the new id.
  let other = try received([.test(delay, at: 100), .test(edit, at: 100, ordinal: 1)], [json("a", 1)])
  #expect(other.at == [.milliseconds(200)])
}

@Test func waitingMessagesStopTheReadingAtACap() throws {
  let delay = DelayMessage(delay: DrawnDuration(mean: .seconds(10)))
  let world = ProxyWorld([.test(delay, at: 100, direction: .up)], latency: .zero)
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    let frame = Frames.make(.binary, [UInt8](repeating: 1, count: 50_000), masked: true)
    for _ in 0..<60 { client.write(frame) }
    try await world.sleep(until: .seconds(5))
    #expect(client.unsent.count > 1_000_000)
    try await world.sleep(until: .seconds(200))
    #expect(server.received.count == 60 * frame.count && client.unsent.isEmpty)
    #expect(Frames.events(server.received, masked: true).count == 60)
  }
}
