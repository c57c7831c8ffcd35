import Core
import Testing

@testable import WebSocket

private func parse(_ bytes: [UInt8]) -> FrameHeader.Parsed { bytes.withUnsafeBytes { FrameHeader.parse($0) } }

@Suite struct FrameHeaderTests {
  // RFC 6455 §5.7: header bytes, and what they mean.
  @Test(
    arguments: [
      ("81 05", FrameHeader(opcode: .text, payloadLength: 5)),
      ("81 85 37 fa 21 3d", FrameHeader(opcode: .text, mask: 0x3D21_FA37, payloadLength: 5)),
      ("01 03", FrameHeader(fin: false, opcode: .text, payloadLength: 3)),
      ("80 02", FrameHeader(opcode: .continuation, payloadLength: 2)),
      ("89 05", FrameHeader(opcode: .ping, payloadLength: 5)),
      ("8a 85 37 fa 21 3d", FrameHeader(opcode: .pong, mask: 0x3D21_FA37, payloadLength: 5)),
      ("82 7e 01 00", FrameHeader(opcode: .binary, payloadLength: 256)),
      ("82 7f 00 00 00 00 00 01 00 00", FrameHeader(opcode: .binary, payloadLength: 65536)),
    ])
  func readsAndWritesTheExamplesOfTheRFC(text: String, header: FrameHeader) {
    #expect(parse(hex(text)) == .header(header))
    #expect(header.headerLength == hex(text).count)
    var out: [UInt8] = []
    header.write(into: &out)
    #expect(out == hex(text))
  }

  @Test(arguments: [0, 1, 125, 126, 127, 65535, 65536, UInt64(Int64.max)], [UInt32?.none, 0, 0xDEAD_BEEF])
  func everyLengthSurvivesTheWayAndNoPrefixIsTakenForAHeader(length: UInt64, mask: UInt32?) {
    let header = FrameHeader(fin: true, opcode: .binary, mask: mask, payloadLength: length)
    var out: [UInt8] = []
    header.write(into: &out)
    #expect(out.count == header.headerLength)
    for count in 0..<out.count { #expect(parse(Array(out.prefix(count))) == .needMore) }
    #expect(parse(out + [1, 2, 3]) == .header(header))
  }

  @Test(
    arguments: [
      ("c1", "reserved bits 4, expected none without an extension"),
      ("a1", "reserved bits 2, expected none without an extension"),
      ("91", "reserved bits 1, expected none without an extension"),
      ("83", "reserved opcode 3"), ("84", "reserved opcode 4"), ("87", "reserved opcode 7"),
      ("8b", "reserved opcode 11"), ("8f", "reserved opcode 15"),
      ("09", "fragmented ping frame, expected FIN on control frames"),
      ("0a", "fragmented pong frame, expected FIN on control frames"),
      ("08", "fragmented close frame, expected FIN on control frames"),
      ("89 7e", "ping frame of more than 125 bytes"), ("88 7f", "close frame of more than 125 bytes"),
      ("82 7e 00 7d", "length 125 in 16 bits, expected the shortest form"),
      ("82 7f 00 00 00 00 00 00 ff ff", "length 65535 in 64 bits, expected the shortest form"),
      ("82 7f 80", "length with its highest bit set"),
      ("82 7f ff ff ff ff ff ff ff ff", "length with its highest bit set"),
    ])
  func tellsWhatIsInvalidAsSoonAsTheBytesShowIt(text: String, reason: String) {
    #expect(parse(hex(text)) == .invalid(reason))
    #expect(parse(hex(text).dropLast()) == .needMore || text.hasPrefix("82 7f ff"))
  }

  @Test func reservedBitsAreAllowedToAnExtension() {
    let parsed = hex("c1 00").withUnsafeBytes { FrameHeader.parse($0, allowedReservedBits: 4) }
    #expect(parsed == .header(FrameHeader(rsv: 4, opcode: .text, payloadLength: 0)))
    let other = hex("a1 00").withUnsafeBytes { FrameHeader.parse($0, allowedReservedBits: 4) }
    #expect(other == .invalid("reserved bits 2, expected none without an extension"))
  }
}
