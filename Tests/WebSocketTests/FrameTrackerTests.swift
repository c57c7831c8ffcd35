import Core
import Testing

@testable import WebSocket

private func slices(_ tracker: inout FrameTracker, _ chunk: [UInt8]) -> [FrameSlice] {
  var result: [FrameSlice] = []
  chunk.withUnsafeBytes { raw in tracker.advance(raw) { result.append($0) } }
  return result
}

@Suite struct FrameTrackerTests {
  @Test func tellsFramesOfOneChunkApart() {
    var tracker = FrameTracker()
    let stream = frame(1, bytes("Hello"), mask: 7) + frame(9) + frame(2, bytes("ab"))
    let found = slices(&tracker, stream)
    #expect(found.map(\.bytes) == [0..<11, 11..<13, 13..<17])
    #expect(found.map(\.payload) == [6..<11, 13..<13, 15..<17])
    #expect(found.map(\.header?.opcode) == [.text, .ping, .binary])
    #expect(found.map(\.header?.mask) == [7, nil, nil])
    #expect(found.allSatisfy { $0.startsHere && $0.headerEndsHere && $0.endsHere && $0.hasWholePayload })
    #expect(tracker.isAtBoundary)
  }

  @Test func tellsWhichPartOfAChunkBelongsToWhichFrame() {
    var tracker = FrameTracker()
    let stream = frame(1, bytes("Hello"), mask: 7)
    let first = slices(&tracker, Array(stream[..<3]))
    #expect(
      first == [
        FrameSlice(
          header: nil, bytes: 0..<3, payload: 3..<3, payloadOffset: 0, startsHere: true, headerEndsHere: false,
          endsHere: false)
      ])
    #expect(!tracker.isAtBoundary)
    let header = FrameHeader(opcode: .text, mask: 7, payloadLength: 5)
    #expect(
      slices(&tracker, Array(stream[3..<8])) == [
        FrameSlice(
          header: header, bytes: 0..<5, payload: 3..<5, payloadOffset: 0, startsHere: false, headerEndsHere: true,
          endsHere: false)
      ])
    #expect(tracker.remainingPayload == 3)
    let last = slices(&tracker, Array(stream[8...]) + frame(9))
    #expect(
      last.first
        == FrameSlice(
          header: header, bytes: 0..<3, payload: 0..<3, payloadOffset: 2, startsHere: false, headerEndsHere: false,
          endsHere: true))
    #expect(last.count == 2)
    #expect(tracker.isAtBoundary)
  }

  @Test func stopsAtAnInvalidHeaderAndReportsNothingAfterIt() {
    var tracker = FrameTracker()
    let found = slices(&tracker, frame(9) + hex("83 00") + frame(9))
    #expect(found.count == 1)
    #expect(tracker.failure == ProtocolFailure(closeCode: 1002, reason: "reserved opcode 3"))
    #expect(!tracker.isAtBoundary)
    #expect(slices(&tracker, frame(9)).isEmpty)
  }

  @Test func followsCompressedFramesWhereTheyWereAgreedOn() {
    var tracker = FrameTracker(allowedReservedBits: 4)
    #expect(slices(&tracker, frame(1, [1, 2], rsv: 4)).map(\.header?.rsv) == [4])
    #expect(tracker.isAtBoundary)
  }

  @Test func aHugeFrameIsFollowedWithoutItsBytes() {
    var tracker = FrameTracker()
    let found = slices(&tracker, hex("82 7f 7f ff ff ff ff ff ff ff 01 02"))
    #expect(found.first?.payload == 10..<12)
    #expect(tracker.remainingPayload == UInt64(Int64.max) - 2)
  }

  @Test func anEmptyChunkChangesNothing() {
    var tracker = FrameTracker()
    #expect(slices(&tracker, []).isEmpty)
    #expect(tracker.isAtBoundary)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func coversEveryByteOnceHoweverTheStreamIsCut(seed: UInt64) {
    var random = SeededRandom(seed: seed, purpose: .test)
    let sample = RandomStream(frames: 40, masked: seed % 2 == 0, using: &random)
    var tracker = FrameTracker()
    var frames: [(FrameHeader, [UInt8])] = []
    var payload: [UInt8] = []
    for chunk in pieces(sample.bytes, randomCuts(sample.bytes.count, upTo: 40, using: &random)) {
      var covered = 0
      for slice in slices(&tracker, chunk) {
        #expect(slice.bytes.lowerBound == covered)
        #expect(!slice.bytes.isEmpty)
        #expect(slice.payload.upperBound == slice.bytes.upperBound)
        covered = slice.bytes.upperBound
        if slice.startsHere { payload = [] }
        #expect(slice.payloadOffset == UInt64(payload.count))
        payload += chunk[slice.payload]
        if slice.endsHere, let header = slice.header { frames.append((header, payload)) }
      }
      #expect(covered == chunk.count)
    }
    #expect(frames.map(\.0) == sample.headers)
    #expect(tracker.isAtBoundary)
  }
}
