import Core
import FaultProxy
import Network
import Testing
import WebSocket

/// What the client receives of `text` sent by the server, under the fault, and what the judge is told meanwhile.
private func corrupted(
  _ fault: Corrupt, _ text: String = #"{"type":"update","id":1}"#, up: Bool = false
) throws -> (bytes: [UInt8], lines: [String]) {
  let world = ProxyWorld([.test(fault, at: 100, direction: up ? .up : .down)])
  let kept = Kept<(bytes: [UInt8], lines: [String])>(([], []))
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(200))
    let count = world.lines.count
    (up ? client : server).write(Frames.text(text, masked: up))
    try await world.sleep(.milliseconds(10))
    kept.value = ((up ? server : client).received, world.lines(since: count))
  }
  return kept.value
}

private func differingBits(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
  zip(a, b).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
}

@Test func someBitsOfThePayloadAreFlippedAndTheFrameIsValid() throws {
  let text = "a payload of some length"
  let (bytes, lines) = try corrupted(Corrupt(bits: 5), text)
  let clean = Frames.text(text, masked: false)
  #expect(bytes.count == clean.count && bytes.prefix(2) == clean.prefix(2))
  #expect(differingBits(bytes, clean) == 5)
  #expect(lines.first == "upstream down message(\(text)) edited [0]" && lines.count == 2)
  #expect(lines.last?.hasSuffix("edited [0]") == true)
}

@Test func headerBitsAreFlippedAndThePayloadIsNot() throws {
  let (bytes, lines) = try corrupted(Corrupt(how: .header, bits: 2), "text")
  let clean = Frames.text("text", masked: false)
  #expect(differingBits(bytes.prefix(2), clean.prefix(2)) == 2 && bytes.dropFirst(2) == clean.dropFirst(2))
  #expect(lines == ["upstream down message(text) edited [0]", "client down violation edited [0]"])
}

@Test func theMaskIsWrongEitherWay() throws {
  let down = try corrupted(Corrupt(how: .mask), "text").bytes
  #expect(Frames.lines(down, masked: true) == ["message(text)"])
  #expect(Frames.lines(down, masked: false) == ["failed(masked frame from a server)"])
  let up = try corrupted(Corrupt(how: .mask), "text", up: true).bytes
  #expect(Frames.lines(up, masked: true) == ["failed(unmasked frame from a client)"])
}

@Test func theTextIsNoUTF8() throws {
  let bytes = try corrupted(Corrupt(how: .utf8), "text").bytes
  #expect(Frames.lines(bytes, masked: false) == ["failed(text that is not UTF-8)"])
  #expect(bytes.count == 6 && bytes.filter { $0 == 0xFF }.count == 1)
}

@Test func theJSONIsCutOffInAFrameOfItsOwnLength() throws {
  let text = #"{"type":"update","id":1}"#
  let bytes = try corrupted(Corrupt(how: .json), text).bytes
  guard case .message(true, let payload)? = Frames.events(bytes, masked: false).first else {
    Issue.record("no message")
    return
  }
  #expect(payload.count < text.utf8.count && Array(text.utf8.prefix(payload.count)) == payload)
}

@Test func onlyWhatMatchesIsDamaged() throws {
  let bytes = try corrupted(Corrupt(match: MessageMatch(type: "result"))).bytes
  #expect(Frames.lines(bytes, masked: false) == [#"message({"type":"update","id":1})"#])
}
