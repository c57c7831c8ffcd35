import JSON
import Testing

struct JSONParserTests {
  @Test func readsEveryKindOfValue() throws {
    let text = #" { "a" : null , "b":[true,false], "c": -12, "d": 1.5e2, "e": "x", "f": {}, "g": [] } "#
    let expected: JSONValue = [
      "a": nil, "b": [true, false], "c": -12, "d": 150.0, "e": "x", "f": [:], "g": [],
    ]
    let value = try JSONValue.parse(text)
    #expect(value == expected)
    #expect(value.object?.keys == ["a", "b", "c", "d", "e", "f", "g"])
  }

  @Test func wholeNumbersThatFitStayWholeAndOthersBecomeDoubles() throws {
    #expect(try isInteger(JSONValue.parse("9223372036854775807"), .max))
    #expect(try isInteger(JSONValue.parse("-9223372036854775808"), .min))
    #expect(try isInteger(JSONValue.parse("-0"), 0))
    #expect(try JSONValue.parse("9223372036854775808") == .number(9_223_372_036_854_775_808))
    #expect(try JSONValue.parse("-9223372036854775809") == .number(-9_223_372_036_854_775_808))
    #expect(try JSONValue.parse("1e2") == .number(100))
    #expect(
      try JSONValue.parse(String(repeating: "1", count: 300)).double == Double(String(repeating: "1", count: 300)))
  }

  private func isInteger(_ value: JSONValue, _ expected: Int64) -> Bool {
    if case .integer(let whole) = value { whole == expected } else { false }
  }

  @Test(arguments: ["1e999", "-1e400", String(repeating: "9", count: 400)])
  func numbersBeyondADoubleAreReported(text: String) {
    #expect(failure(text)?.reason == .numberOutOfRange)
  }

  @Test func unescapesStrings() throws {
    #expect(try JSONValue.parse(#""\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00\u0000""#) == "\"\\/\u{8}\u{C}\n\r\tAé😀\0")
    #expect(try JSONValue.parse("\"é😀\"") == "é😀")
    #expect(try JSONValue.parse("\"é\\n😀\"") == "é\n😀")
  }

  @Test func theLastOfDuplicateKeysWins() throws {
    let value = try JSONValue.parse(#"{"a":1,"b":2,"a":3}"#)
    #expect(value.object?.keys == ["a", "b"])
    #expect(value["a"] == 3)
  }

  @Test(arguments: [
    ("", 0), ("  ", 2), ("{", 1), ("[1,]", 3), ("{\"a\":1,}", 7), ("[1 2]", 3), ("{\"a\" 1}", 5), ("{a:1}", 1),
    ("01", 1), ("-", 1), ("1.", 2), ("1e", 2), ("1e+", 3), (".5", 0), ("+1", 0), ("tru", 3), ("truE", 3), ("nul", 3),
    ("NaN", 0), ("'a'", 0), ("\"a", 2), ("\"\\x\"", 2), ("\"\\u12g4\"", 5), ("\"a\nb\"", 2), ("\"\0\"", 1), ("\0", 0),
    ("1 2", 2), ("[1]]", 3), ("// a\n1", 0), ("\u{FEFF}1", 0), ("\u{A0}1", 0), ("[}", 1), ("\"\\", 2), ("\"\\u00", 5),
  ])
  func reportsWhereTheTextIsWrong(text: String, offset: Int) throws {
    let error = try #require(failure(text))
    #expect(error.offset == offset, "\(error)")
    #expect(error.reason == .unexpected || error.reason == .truncated)
    #expect(!error.expected.isEmpty)
  }

  @Test func saysWhatWasExpected() {
    #expect(failure("[1 2]")?.description == #"invalid JSON at byte 3: unexpected content; expected "," or "]""#)
    #expect(failure("[1")?.reason == .truncated)
  }

  @Test(arguments: [#""\ud800""#, #""\ud800x""#, #""\udc00""#, #""\ud800\ud800""#, #""a\ud83d\n""#])
  func loneSurrogatesAreReported(text: String) {
    #expect(failure(text)?.reason == .loneSurrogate)
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98],
      [0xC3], [0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x28, 0xA1],
    ] as [[UInt8]])
  func invalidUTF8IsReportedWithItsPlace(bytes: [UInt8]) {
    for prefix in ["\"ab", "\"\\n"] {
      let error = failure(Array(prefix.utf8) + bytes + Array("\"".utf8))
      #expect(error?.reason == .invalidUTF8)
      #expect(error?.offset == 3)
    }
  }

  @Test func depthIsCapped() throws {
    let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(throws: Never.self) { try JSONValue.parse(nested(128)) }
    #expect(failure(nested(129))?.reason == .tooDeep)
    #expect(failure(nested(129))?.offset == 128)
    #expect(failure(String(repeating: "{\"a\":[", count: 100_000))?.reason == .tooDeep)
    #expect(failure(nested(3), JSONLimits(depth: 2))?.reason == .tooDeep)
    #expect(JSONLimits(depth: .max).depth == JSONLimits.deepest)
  }

  @Test func sizeIsCapped() {
    #expect(failure("[1,2]", JSONLimits(bytes: 4))?.reason == .tooLarge)
    #expect(failure("[1,2]", JSONLimits(bytes: 5)) == nil)
  }

  @Test func everyTruncationOfATextIsAnError() {
    let sample = Array(#"{"a":[1,-2.5e3,true,null],"é":{"b":"x\u00e9\ud83d\ude00y"},"c":false}"#.utf8)
    for length in 0..<sample.count { #expect(failure(Array(sample[..<length])) != nil, "\(length) bytes") }
    #expect(failure(sample) == nil)
  }

  @Test func aManyMemberedObjectStaysFast() throws {
    let text = "{" + (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
    let value = try JSONValue.parse(text)
    #expect(value.object?.count == 20_000)
    #expect(value["k19999"] == 19_999)
  }

  private func failure(_ text: String, _ limits: JSONLimits = .default) -> JSONSyntaxError? {
    failure(Array(text.utf8), limits)
  }

  private func failure(_ bytes: [UInt8], _ limits: JSONLimits = .default) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
      _ = try JSONValue.parse(bytes, limits: limits)
      return nil
    } catch { return error }
  }
}
