import Core
import Testing

@testable import WebSocket

@Suite struct MaskingTests {
  private func naive(_ bytes: [UInt8], _ key: [UInt8], _ offset: Int) -> [UInt8] {
    bytes.enumerated().map { $1 ^ key[($0 + offset) % 4] }
  }

  @Test(arguments: 0...17)
  func agreesWithANaiveMaskAtEveryOffsetLengthAndAlignment(offset: Int) {
    let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    var random = SeededRandom(seed: UInt64(offset), purpose: .test)
    for length in 0...41 {
      let plain = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      for skew in 0..<8 {
        var buffer = [UInt8](repeating: 0xEE, count: skew) + plain + [0xEE]
        buffer.withUnsafeMutableBytes {
          Masking.apply(
            UnsafeMutableRawBufferPointer(rebasing: $0[skew..<skew + length]), key: 0x3D21_FA37,
            offset: UInt64(offset))
        }
        #expect(buffer == [UInt8](repeating: 0xEE, count: skew) + naive(plain, key, offset) + [0xEE])
      }
      var copied = [UInt8](repeating: 0, count: length)
      plain.withUnsafeBytes { source in
        copied.withUnsafeMutableBytes {
          Masking.copy(source, to: $0, key: 0x3D21_FA37, offset: UInt64(offset))
        }
      }
      #expect(copied == naive(plain, key, offset))
    }
  }

  @Test func maskingInPiecesIsMaskingInOne() {
    var random = SeededRandom(seed: 3, purpose: .test)
    let plain = (0..<1000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var whole = plain
    whole.withUnsafeMutableBytes { Masking.apply($0, key: 0xDEAD_BEEF) }
    var pieces = plain
    var start = 0
    for size in randomCuts(1000, upTo: 30, using: &random) where start < 1000 {
      let end = min(1000, start + size)
      pieces.withUnsafeMutableBytes {
        Masking.apply(
          UnsafeMutableRawBufferPointer(rebasing: $0[start..<end]), key: 0xDEAD_BEEF, offset: UInt64(start))
      }
      start = end
    }
    #expect(pieces == whole)
  }
}
