import Core
import Testing

@testable import WebSocket

private func isValid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(UTF8Validator.isValid) }

@Suite struct UTF8ValidatorTests {
  private static let valid: [[UInt8]] = [
    [], bytes("plain"), bytes("a longer plain text of many words"), bytes("κόσμε"), bytes("日本語"), bytes("🌍🎉"),
    // The first and the last character of each length, and the neighbours of the surrogates.
    [0x00], [0x7F], hex("c2 80"), hex("df bf"), hex("e0 a0 80"), hex("ef bf bf"), hex("f0 90 80 80"),
    hex("f4 8f bf bf"), hex("ed 9f bf"), hex("ee 80 80"), hex("ef bf bd"), hex("ef bf be"),
  ]
  /// A text, and the index of the first byte that cannot be right.
  private static let invalid: [([UInt8], Int)] = [
    (hex("80"), 0), (hex("bf"), 0), (hex("fe"), 0), (hex("ff"), 0), (hex("f8 88 80 80 80"), 0),
    (hex("c0 af"), 0), (hex("c1 bf"), 0), (hex("e0 80 af"), 1), (hex("e0 9f bf"), 1), (hex("f0 80 80 af"), 1),
    (hex("f0 8f bf bf"), 1), (hex("ed a0 80"), 1), (hex("ed bf bf"), 1), (hex("f4 90 80 80"), 1),
    (hex("f5 80 80 80"), 0), (hex("c2 41"), 1), (hex("e2 82 41"), 2), (hex("f0 9f 8c 41"), 3), (hex("c2 c2"), 1),
    (hex("e2 28 a1"), 1), (bytes("a longer text with a fault ") + [0xFF], 27),
    (hex("ce ba e1 bd b9 cf 83 ce bc ce b5 ed a0 80 65 64"), 12),
  ]

  @Test(arguments: valid)
  func acceptsTextAndItsPrefixesAsBeginnings(text: [UInt8]) {
    #expect(isValid(text))
    #expect(isValid(bytes("12345678") + text + bytes("123456789")))
    for cut in 0...text.count {
      var validator = UTF8Validator()
      let head = text[..<cut].withUnsafeBytes { validator.consume($0) }
      let tail = text[cut...].withUnsafeBytes { validator.consume($0) }
      #expect(head && tail && validator.isComplete)
    }
  }

  @Test(arguments: invalid)
  func saysNoAtTheFirstByteThatCannotBeRight(text: [UInt8], at: Int) {
    #expect(!isValid(text))
    var validator = UTF8Validator()
    let before = text[..<at].withUnsafeBytes { validator.consume($0) }
    #expect(before)
    let after = text[at...at].withUnsafeBytes { validator.consume($0) }
    #expect(!after)
  }

  @Test func aTextMayNotEndWithinACharacter() {
    for count in 1...3 { #expect(!isValid(Array(bytes("🌍").prefix(count)))) }
  }

  @Test func agreesWithTheStandardLibraryOnAllPairsAndRandomBytes() {
    func check(_ text: [UInt8]) -> Bool { isValid(text) == (String(validating: text, as: UTF8.self) != nil) }
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max where !check([first, second, 0x80, 0x80]) || !check([first, second]) {
        Issue.record("\(first) \(second)")
      }
    }
    var random = SeededRandom(seed: 2, purpose: .test)
    let likely = hex("41 7f 80 8f 90 9f a0 bf c2 df e0 e2 ed ef f0 f4")
    for _ in 0..<3000 {
      let text = (0..<12).map { _ in likely[Int(random.integer(in: 0...15))] }
      if !check(text) { Issue.record("\(text)") }
    }
  }

  // The machine judges text as it comes: at each byte, in frames and in pieces of frames.
  @Test(arguments: invalid)
  func theMachineFailsAtThatByteOfAFrameInPieces(text: [UInt8], at: Int) {
    let stream = frame(1, text + bytes("rest"))
    let header = stream.count - text.count - 4
    #expect(run(Array(stream.prefix(header + at)), cuts: one(stream.count)).events.isEmpty)
    #expect(failureCodes(run(Array(stream.prefix(header + at + 1)), cuts: one(stream.count)).events) == [1007])
  }

  @Test(arguments: valid)
  func theMachineAcceptsTextCutIntoFragmentsAtEachByte(text: [UInt8]) {
    for cut in 0...text.count {
      let stream = frame(1, Array(text[..<cut]), fin: false) + frame(9) + frame(0, Array(text[cut...]))
      #expect(run(stream).events == [.ping([]), .message(isText: true, payload: text)])
    }
  }
}
