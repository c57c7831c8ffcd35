import Testing

@testable import WebSocket

/// What a fan-out sends is held once, and nothing else is taken for it.
@Suite struct RecentPayloadsTests {
  private let recent = RecentPayloads()
  private let note = bytes(String(repeating: "n", count: 500))

  /// Where the payload of the one message in `stream` lies; nil if it was refused.
  private func storage(_ stream: [UInt8], role: WebSocketMachine.Role = .client) -> (address: UInt, payload: [UInt8])? {
    var machine = WebSocketMachine(role: role, recent: recent)
    var replies: [UInt8] = []
    var found: [UInt8]?
    stream.withUnsafeBytes { raw in
      machine.receive(raw, replies: &replies) { if case .message(_, let payload) = $0 { found = payload } }
    }
    return found.map { payload in (payload.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }, payload) }
  }

  @Test func receiversOfTheSameMessageShareItsPayload() throws {
    let first = try #require(storage(frame(1, note)))
    let second = try #require(storage(frame(1, note)))
    #expect(first.address == second.address && second.payload == note)
  }

  @Test func aPayloadThatDiffersInOneByteIsItsOwn() throws {
    for place in [0, 100, 250, 499] {
      var other = note
      other[place] = 0x78
      let first = try #require(storage(frame(1, note)))
      let second = try #require(storage(frame(1, other)))
      #expect(first.address != second.address && second.payload == other)
    }
  }

  @Test func aBinaryMessageIsNoTextAndIsCheckedOnItsOwn() {
    let broken = [UInt8](repeating: 0xFF, count: 500)
    #expect(storage(frame(2, broken))?.payload == broken)
    #expect(storage(frame(1, broken)) == nil)
  }

  @Test func whatIsSmallLargeMaskedOrInPiecesIsNotHeld() throws {
    let small = [UInt8](note.prefix(127))
    let large = [UInt8](repeating: 0x61, count: RecentPayloads.sizes.upperBound + 1)
    for payload in [small, large] {
      let first = try #require(storage(frame(1, payload)))
      #expect(storage(frame(1, payload))?.address != first.address)
    }
    let masked = try #require(storage(frame(1, note, mask: 0x0102_0304), role: .server))
    #expect(storage(frame(1, note))?.address != masked.address)
    let pieces = frame(1, [UInt8](note.prefix(200)), fin: false) + frame(0, [UInt8](note.dropFirst(200)))
    #expect(storage(pieces)?.payload == note)
  }
}
