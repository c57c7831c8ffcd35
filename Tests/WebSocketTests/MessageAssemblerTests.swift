import Core
import Testing

@testable import WebSocket

/// Runs tracker and assembler over chunks, as the proxy does.
private func assemble(
  _ chunks: [[UInt8]], _ assembler: inout MessageAssembler, allowedReservedBits: UInt8 = 0
) -> [WebSocketEvent] {
  var tracker = FrameTracker(allowedReservedBits: allowedReservedBits)
  var events: [WebSocketEvent] = []
  for chunk in chunks {
    chunk.withUnsafeBytes { raw in
      tracker.advance(raw) { slice in
        if let event = assembler.accept(slice, of: raw) { events.append(event) }
      }
    }
    if let failure = tracker.failure, let event = assembler.accept(failure) { events.append(event) }
  }
  return events
}

@Suite struct MessageAssemblerTests {
  @Test(arguments: 0..<30 as Range<UInt64>)
  func agreesWithTheMachineOnRandomStreamsHoweverTheyAreCut(seed: UInt64) {
    var random = SeededRandom(seed: seed, purpose: .test, subject: 1)
    let masked = seed % 2 == 0
    let sample = RandomStream(frames: 30, masked: masked, using: &random)
    let cuts = randomCuts(sample.bytes.count, upTo: seed % 3 == 0 ? 9 : 5000, using: &random)
    var assembler = MessageAssembler(expectsMask: masked)
    #expect(assemble(pieces(sample.bytes, cuts), &assembler) == sample.events)
    #expect(!assembler.isWithinMessage)
    #expect(run(sample.bytes, cuts: cuts, role: masked ? .server : .client).events == sample.events)
    #expect(run(sample.bytes, role: masked ? .server : .client).events == sample.events)
  }

  @Test func everySampleGivesTheSameEventsByteByByteAndCutAnywhere() {
    let samples = [
      frame(1, bytes("Hello")), frame(1), frame(9, bytes("ping")), frame(2, [UInt8](repeating: 3, count: 300)),
      frame(1, bytes("Hel"), fin: false) + frame(9, bytes("x")) + frame(0, bytes("lo 🌍")), frame(8, hex("03 e8")),
      frame(1, bytes("κό"), fin: false) + frame(0, fin: false) + frame(0), frame(8) + frame(1, bytes("late")),
    ]
    for sample in samples {
      let whole = run(sample)
      #expect(!whole.events.isEmpty)
      let single = run(sample, cuts: one(sample.count))
      #expect(single.events == whole.events)
      // The client's replies are masked by the same seed, so they are the same bytes.
      #expect(single.replies == whole.replies)
      for cut in 1..<sample.count { #expect(run(sample, cuts: [cut]).events == whole.events) }
    }
  }

  @Test func reportsAViolationOnceAndJudgesNothingAfterIt() {
    var assembler = MessageAssembler(expectsMask: false)
    let stream = frame(1, bytes("a")) + frame(0) + frame(0) + frame(1, bytes("b")) + hex("83 00")
    let events = assemble([stream, stream], &assembler)
    #expect(events.count == 2)
    #expect(events.first == .message(isText: true, payload: bytes("a")))
    #expect(failureCodes(events) == [1002])
    #expect(assembler.failure?.closeCode == 1002)
  }

  @Test func dataAfterACloseFrameIsAViolationAndControlFramesAreIgnored() {
    var assembler = MessageAssembler(expectsMask: false)
    let events = assemble([frame(8, hex("03 e8")) + frame(9) + frame(8) + frame(1)], &assembler)
    #expect(events.first == .closeReceived(code: 1000, reason: ""))
    #expect(failureCodes(events) == [1002])
    #expect(events.count == 2)
  }

  @Test func mayLeaveMaskingUnjudged() {
    var assembler = MessageAssembler(expectsMask: nil)
    let events = assemble([frame(1, bytes("a"), mask: 1) + frame(1, bytes("b"))], &assembler)
    #expect(
      events == [.message(isText: true, payload: bytes("a")), .message(isText: true, payload: bytes("b"))])
  }

  @Test func compressedFramesAreFollowedButNotRead() {
    var assembler = MessageAssembler(expectsMask: false)
    #expect(failureCodes(assemble([frame(1, [1], rsv: 4)], &assembler, allowedReservedBits: 4)) == [1002])
  }

  @Test func oversizedMessagesCanBePassedOver() {
    let limits = WebSocketLimits(maxMessageBytes: 4)
    var assembler = MessageAssembler(expectsMask: false, limits: limits, skipsOversized: true)
    let stream =
      frame(1, bytes("12345")) + frame(1, bytes("a")) + frame(1, bytes("123"), fin: false) + frame(9)
      + frame(0, bytes("45"), fin: false) + frame(0, bytes("6")) + frame(2, [1])
    let expected: [WebSocketEvent] = [
      .message(isText: true, payload: bytes("a")), .ping([]), .message(isText: false, payload: [1]),
    ]
    #expect(assemble([stream], &assembler) == expected)
    #expect(assembler.skippedMessages == 2)
    #expect(assembler.failure == nil)
    var again = MessageAssembler(expectsMask: false, limits: limits, skipsOversized: true)
    #expect(assemble(pieces(stream, one(stream.count)), &again) == expected)
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func damagedStreamsEndInOneFailureAtMostAndNeverCrash(seed: UInt64) {
    var random = SeededRandom(seed: seed, purpose: .test, subject: 2)
    var stream = RandomStream(frames: 4, masked: true, using: &random).bytes
    for _ in 0..<random.integer(in: 1...4) {
      stream[Int(random.integer(in: 0...Int64(min(stream.count, 300)) - 1))] = UInt8(truncatingIfNeeded: random.next())
    }
    let cuts = randomCuts(stream.count, upTo: 3000, using: &random)
    let whole = run(stream, role: .server)
    #expect(failureCodes(whole.events).count <= 1)
    #expect(run(stream, cuts: cuts, role: .server).events == whole.events)
  }
}
