import Core
import Testing

@testable import WebSocket

@Suite struct WebSocketMachineTests {
  // RFC 6455 §5.7: a whole text, one in two fragments, a ping, as a client sees them.
  @Test func aClientReadsTheExamplesOfTheRFC() {
    #expect(run(hex("81 05 48 65 6c 6c 6f")).events == [.message(isText: true, payload: bytes("Hello"))])
    #expect(
      run(hex("01 03 48 65 6c 80 02 6c 6f")).events == [.message(isText: true, payload: bytes("Hello"))])
    #expect(run(hex("89 05 48 65 6c 6c 6f")).events == [.ping(bytes("Hello"))])
    let big = [UInt8](repeating: 7, count: 65536)
    #expect(
      run(hex("82 7f 00 00 00 00 00 01 00 00") + big).events == [.message(isText: false, payload: big)])
  }

  @Test func aServerReadsTheMaskedExamplesOfTheRFC() {
    let stream = hex("81 85 37 fa 21 3d 7f 9f 4d 51 58 8a 85 37 fa 21 3d 7f 9f 4d 51 58")
    let result = run(stream, role: .server)
    #expect(result.events == [.message(isText: true, payload: bytes("Hello")), .pong(bytes("Hello"))])
    #expect(result.replies.isEmpty)
  }

  @Test func aServerSendsInClearAndAClientMasksWithItsSeed() {
    var server = WebSocketMachine(role: .server)
    var out: [UInt8] = []
    let sent1 = server.text("Hello", into: &out)
    #expect(sent1)
    #expect(out == hex("81 05 48 65 6c 6c 6f"))
    #expect(WebSocketMachine.encodeServerText(bytes("Hello")) == out)

    func sent(seed: UInt64) -> [UInt8] {
      var client = WebSocketMachine(role: .client, maskKeys: SeededRandom(seed: seed, purpose: .masking))
      var out: [UInt8] = []
      client.text(bytes("Hello"), into: &out)
      client.binary([1, 2, 3], into: &out)
      return out
    }
    let stream = sent(seed: 1)
    #expect(stream == sent(seed: 1))
    #expect(stream != sent(seed: 2))
    #expect(stream[2..<6] != stream[13..<17])
    #expect(
      run(stream, role: .server).events == [
        .message(isText: true, payload: bytes("Hello")), .message(isText: false, payload: [1, 2, 3]),
      ])
  }

  @Test func pingsAreAnsweredUnlessTheOwnerWantsTo() {
    let stream = frame(9, bytes("a")) + frame(9)
    #expect(run(stream, role: .client).events == [.ping(bytes("a")), .ping([])])
    let server = run(frame(9, bytes("a"), mask: 5) + frame(9, mask: 6), role: .server)
    #expect(server.replies == frame(10, bytes("a")) + frame(10))

    var silent = WebSocketMachine(role: .server)
    silent.repliesToPing = false
    var replies: [UInt8] = []
    frame(9, bytes("a"), mask: 5).withUnsafeBytes { silent.receive($0, replies: &replies) { _ in } }
    #expect(replies.isEmpty)
  }

  @Test func betweenTwoEventsTheOwnerMaySend() {
    var machine = WebSocketMachine(role: .server)
    var out: [UInt8] = []
    let stream = frame(1, bytes("a"), mask: 1) + frame(1, bytes("b"), mask: 2)
    stream.withUnsafeBytes { raw in
      var position = 0
      while let event = machine.nextEvent(in: raw, at: &position, replies: &out) {
        if case .message(_, let payload) = event { machine.text(payload, into: &out) }
      }
    }
    #expect(out == frame(1, bytes("a")) + frame(1, bytes("b")))
  }

  // MARK: Closing

  @Test func aCloseFrameIsEchoedAndEndsTheConnection() {
    let close = frame(8, hex("03 e9") + bytes("bye"), mask: 9)
    let result = run(close + frame(1, bytes("late"), mask: 9), role: .server)
    #expect(result.events == [.closeReceived(code: 1001, reason: "bye")])
    #expect(result.replies == frame(8, hex("03 e9")))
    #expect(result.machine.state == .closed)
    #expect(run(frame(8, mask: 9), role: .server).replies == frame(8))
    #expect(run(frame(8, mask: 9), role: .server).events == [.closeReceived(code: nil, reason: "")])
  }

  @Test func afterOurCloseFrameNothingIsSentButMessagesAreStillRead() {
    var machine = WebSocketMachine(role: .server)
    var out: [UInt8] = []
    let sent2 = machine.close(code: 1000, reason: "done", into: &out)
    #expect(sent2)
    #expect(out == frame(8, hex("03 e8") + bytes("done")))
    #expect(machine.state == .closeSent)
    #expect(!machine.isOpen)
    out = []
    let sent3 = machine.text("x", into: &out)
    #expect(!sent3)
    let sent4 = machine.binary([1], into: &out)
    #expect(!sent4)
    let sent5 = machine.ping(into: &out)
    #expect(!sent5)
    let sent6 = machine.pong(into: &out)
    #expect(!sent6)
    let sent7 = machine.text([1], inFragmentsOf: 1, into: &out)
    #expect(!sent7)
    let sent8 = machine.close(code: 1000, into: &out)
    #expect(!sent8)
    var events: [WebSocketEvent] = []
    let stream = frame(1, bytes("a"), mask: 1) + frame(9, mask: 1) + frame(8, hex("03 e8"), mask: 1)
    stream.withUnsafeBytes { raw in machine.receive(raw, replies: &out) { events.append($0) } }
    #expect(
      events == [.message(isText: true, payload: bytes("a")), .ping([]), .closeReceived(code: 1000, reason: "")])
    #expect(out.isEmpty)
    #expect(machine.state == .closed)
  }

  @Test func theOwnerMayAnswerACloseFrameItself() {
    var machine = WebSocketMachine(role: .client)
    machine.repliesToClose = false
    var out: [UInt8] = []
    frame(8, hex("03 e8")).withUnsafeBytes { machine.receive($0, replies: &out) { _ in } }
    #expect(out.isEmpty)
    #expect(machine.state == .closeReceived)
    let sent9 = machine.text("x", into: &out)
    #expect(!sent9)
    let sent10 = machine.close(code: 1000, into: &out)
    #expect(sent10)
    #expect(machine.state == .closed)
    #expect(run(out, role: .server).events == [.closeReceived(code: 1000, reason: "")])
  }

  @Test func aLongReasonIsCutBetweenCharactersAndALongPingTo125Bytes() {
    var machine = WebSocketMachine(role: .server)
    var out: [UInt8] = []
    machine.ping([UInt8](repeating: 1, count: 200), into: &out)
    machine.close(code: 1000, reason: String(repeating: "é", count: 100), into: &out)
    #expect(
      run(out).events == [
        .ping([UInt8](repeating: 1, count: 125)),
        .closeReceived(code: 1000, reason: String(repeating: "é", count: 61)),
      ])
  }

  // MARK: Fragments

  @Test func controlFramesComeBetweenFragments() {
    let stream =
      frame(1, bytes("Hel"), fin: false) + frame(9, bytes("p")) + frame(0, bytes("lo"), fin: false)
      + frame(10, bytes("q")) + frame(0) + frame(2, [9])
    #expect(
      run(stream).events == [
        .ping(bytes("p")), .pong(bytes("q")), .message(isText: true, payload: bytes("Hello")),
        .message(isText: false, payload: [9]),
      ])
  }

  @Test(arguments: [1, 2, 3, 4, 100])
  func whatIsSentInFragmentsArrivesWhole(size: Int) {
    var machine = WebSocketMachine(role: .client)
    var out: [UInt8] = []
    let text = bytes("κόσμε 🌍 world")
    machine.text(text, inFragmentsOf: size, into: &out)
    machine.text([], inFragmentsOf: size, into: &out)
    #expect(
      run(out, role: .server).events == [
        .message(isText: true, payload: text), .message(isText: true, payload: []),
      ])
  }

  @Test func emptyMessagesAndFragmentsAreMessages() {
    #expect(run(frame(1)).events == [.message(isText: true, payload: [])])
    #expect(run(frame(2, fin: false) + frame(0)).events == [.message(isText: false, payload: [])])
  }

  @Test func anIdleMachineIsSmall() {
    #expect(MemoryLayout<WebSocketMachine>.size <= 256)
  }

  @Test func anIdleMachineHoldsNoBufferWhateverCameBefore() {
    let stream =
      frame(1, bytes("Hel"), fin: false) + frame(9, bytes("ping")) + frame(0, bytes("lo"))
      + frame(2, [UInt8](repeating: 1, count: 300))
    for cut in 1..<stream.count {
      #expect(run(stream, cuts: [cut]).machine.heldBytes == 0)
    }
    #expect(run(stream, cuts: one(stream.count)).machine.heldBytes == 0)
    #expect(run(Array(stream.dropLast(299))).machine.heldBytes > 0)
    #expect(run(Array(stream.dropLast(299)) + [2], cuts: one(999)).machine.heldBytes > 0)
  }

  @Test func aFrameIsNotGivenMemoryOnItsWord() {
    let claim = hex("82 7f 00 00 00 00 01 00 00 00")
    #expect(run(claim).machine.heldBytes == 0)
    #expect(run(claim + [1]).machine.heldBytes < 100_000)
    #expect(run(hex("82 7f 7f ff ff ff ff ff ff ff 01")).machine.heldBytes == 0)
    // What was gathered is let go when the message turns out too big or wrong.
    let begun = frame(1, bytes("begun"), fin: false)
    #expect(run(begun + claim).machine.heldBytes == 0)
    #expect(run(begun + frame(0, [0xFF])).machine.heldBytes == 0)
  }
}
