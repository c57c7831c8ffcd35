import Core
import FaultProxy
import JSON
import Network
import Testing
import WebSocket

// Faults that the proxy does not have, written through the public contract alone.

/// Replaces, repeats or drops messages by what they say.
private struct Rewrite: Fault {
  static let kind = "rewrite"
  static let summary = "messages are rewritten by what they say"
  static let defaultDirection: FaultDirection? = .both
  init() {}
  init?(_ options: SectionDecoder) {}
  var hooks: FaultHooks { [.frames, .messages] }
  func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter? { Filter() }

  /// @unchecked: confined to its connection's loop.
  private final class Filter: FrameFilter, @unchecked Sendable {
    override var wantsMessages: Bool { true }
    override func message(_ message: WireMessage, at now: Instant) -> MessageDecision {
      switch String(decoding: message.payload, as: UTF8.self) {
      case "replace": .replace(Array("other".utf8))
      case "twice": .duplicate(1)
      case "drop": .drop
      default: .pass
      }
    }
  }
}

/// Flips bytes, and lets only the first connection of the loop through: state that connections share.
private struct Corrupt: Fault {
  static let kind = "corrupt"
  static let summary = "every byte is flipped on the first connection"
  static let defaultDirection: FaultDirection? = .down
  init() {}
  init?(_ options: SectionDecoder) {}
  var hooks: FaultHooks { [.bytes, .accept] }
  func makeShared() -> AnyObject? { Seen() }
  func accept(_ scope: FaultScope) -> AcceptDecision {
    guard let seen = scope.shared as? Seen else { return .reset }
    seen.count += 1
    return seen.count == 1 ? .proceed : .reset
  }
  func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage() }

  private final class Seen { var count = 0 }
  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    override var edits: Bool { true }
    override func edit(_ bytes: inout [UInt8]) { for index in bytes.indices { bytes[index] ^= 0xFF } }
  }
}

@Test func messagesCanBeReplacedRepeatedAndDropped() throws {
  let world = ProxyWorld([.test(Rewrite(), at: 100)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    let count = world.lines.count
    let texts = ["pass", "replace", "twice", "drop", "last"]
    client.write(texts.flatMap { Frames.text($0, masked: true) })
    try await world.sleep(.milliseconds(10))
    #expect(
      Frames.lines(server.received, masked: true) == [
        "message(pass)", "message(other)", "message(twice)", "message(twice)", "message(last)",
      ])
    #expect(
      world.lines(since: count) == [
        "client up message(pass)", "upstream up message(pass)", "client up message(replace) edited [0]",
        "upstream up message(other) edited [0]", "client up message(twice) [0]", "upstream up message(twice) [0]",
        "upstream up message(twice) injected [0]", "client up message(drop) dropped [0]", "client up message(last)",
        "upstream up message(last)",
      ])
    // The other way frames are not masked.
    server.write(Frames.text("replace", masked: false))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(client.received, masked: false) == ["message(other)"])
    #expect(world.application(0).applications == 4)
  }
}

@Test func aMessageInFragmentsIsDecidedAboutWhole() throws {
  let world = ProxyWorld([.test(Rewrite(), at: 100)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    client.write(Frames.make(.text, Array("dr".utf8), fin: false, masked: true))
    client.write(Frames.make(.ping, Array("p".utf8), masked: true))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(server.received, masked: true) == ["ping(p)"])
    client.write(Frames.make(.continuation, Array("op".utf8), masked: true) + Frames.text("next", masked: true))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(server.received, masked: true) == ["ping(p)", "message(next)"])
  }
}

@Test func aMessageHeldWhenItsFaultEndsPasses() throws {
  let world = ProxyWorld([.test(Rewrite(), at: 100, for: 200)])
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    let frame = Frames.text("drop", masked: true)
    client.write(frame.prefix(8))
    try await world.sleep(until: .milliseconds(290))
    #expect(server.received.isEmpty)
    try await world.sleep(until: .milliseconds(310))
    #expect(server.received == Array(frame.prefix(8)))
    client.write(frame.dropFirst(8))
    try await world.sleep(.milliseconds(10))
    #expect(Frames.lines(server.received, masked: true) == ["message(drop)"])
  }
}

@Test func bytesCanBeChangedAndStateShared() throws {
  let world = ProxyWorld([.test(Corrupt(), at: 0)], trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    server.write([0x00, 0x0F, 0xFF])
    try await world.sleep(.milliseconds(10))
    #expect(client.received == [0xFF, 0xF0, 0x00])
    let second = try await world.connect()
    try await world.sleep(.milliseconds(10))
    #expect(second.failure == .reset)
  }
}
