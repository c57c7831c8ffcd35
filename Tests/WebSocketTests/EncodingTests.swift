import Testing

@testable import WebSocket

@Suite struct EncodingTests {
  // FIPS 180-4's examples (csrc.nist.gov, "SHA1.pdf" and the long message).
  @Test(arguments: [
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "a49b2446a02c645bf419f995b67091253a04a259"
    ),
  ])
  func hashesTheExamplesOfFIPS180(message: String, digest: String) {
    #expect(hexText(SHA1.hash(bytes(message))) == digest)
  }

  @Test func hashesAMessageOfManyBlocks() {
    // 10,000 bytes of "a", from sha1sum.
    #expect(
      hexText(SHA1.hash([UInt8](repeating: 97, count: 10_000))) == "a080cbda64850abb7b7f67ee875ba068074ff6fe")
  }

  // RFC 4648 §10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func encodesAndDecodesTheExamplesOfRFC4648(plain: String, text: String) {
    #expect(Base64.encode(bytes(plain)) == text)
    #expect(Base64.decode(text) == bytes(plain))
  }

  @Test func usesTheWholeAlphabet() {
    let all = Array(UInt8.min...UInt8.max)
    #expect(Base64.decode(Base64.encode(all)) == all)
    #expect(Base64.encode([0xFB, 0xEF, 0xFF]) == "++//")
  }

  @Test(arguments: ["Zg=", "Zg", "Z===", "====", "Zg==Zg==", "Zh==", "Zm9=", "Zm9 ", "Zm-_", "Zm9v\n"])
  func refusesWhatIsNotBase64(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
