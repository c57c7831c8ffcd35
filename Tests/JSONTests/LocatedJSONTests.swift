import JSON
import Testing

struct LocatedJSONTests {
  @Test func readsJSON5() throws {
    let text = """
      // a comment
      {
        /* another
           one */
        bare: 'single "quotes"', $dollar_1: "it's",
        "quoted key": [1, +2, -.5, 5., 0x1F, -0XfF, 1e3, .5E-1,],
        größe: null, yes: true, no: false,
        long: "one \\
      line", escapes: '\\x41\\u00e9\\ud83d\\ude00\\0\\v\\b\\f\\n\\r\\t\\'\\"\\\\\\/\\q',
        nested: { a: {}, b: [], },
      }
      // the end
      """
    let value = try #require(read(text))
    let expected: JSONValue = [
      "bare": "single \"quotes\"", "$dollar_1": "it's", "quoted key": [1, 2, -0.5, 5.0, 31, -255, 1000.0, 0.05],
      "größe": nil, "yes": true, "no": false, "long": "one line",
      "escapes": "Aé😀\0\u{B}\u{8}\u{C}\n\r\t'\"\\/q", "nested": ["a": [:], "b": []],
    ]
    #expect(value.json == expected)
  }

  @Test func everyValueAndKeyKnowsItsPlace() throws {
    let text = "{\n  name: \"é😀\", clients: 5,\r\n\tfleets: [\n    'a', { b: 1 }],\r x: 1}"
    let value = try #require(read(text))
    let members = try #require(value.members)
    #expect(place(value.location) == "1:1")
    #expect(members.map { place($0.keyLocation) } == ["2:3", "2:15", "3:2", "5:2"])
    #expect(members.map { place($0.value.location) } == ["2:9", "2:24", "3:10", "5:5"])
    #expect(members[2].value.elements?.map { place($0.location) } == ["4:5", "4:10"])
  }

  @Test func keepsHowANumberWasWritten() throws {
    let value = try #require(read("[0x10, 1.50, 9223372036854775807, 9223372036854775808]"))
    #expect(value.elements?.first?.kind == .number(16, raw: "0x10"))
    #expect(value.elements?.map(\.integer) == [16, nil, .max, nil])
    #expect(value.json == [16, 1.5, 9_223_372_036_854_775_807, .number(9_223_372_036_854_775_808)])
  }

  @Test func aByteOrderMarkAndUnicodeSpaceAreSkipped() throws {
    let value = try #require(read("\u{FEFF}{\u{A0}a:\u{2003}1\u{A0},\u{2028}b:2}"))
    #expect(value.json == ["a": 1, "b": 2])
    #expect(value.members.map { place($0[0].keyLocation) } == "1:3")
  }

  @Test(arguments: ["1", "'x'", "[]", "null", "-0x1"])
  func anyValueCanBeAFile(text: String) { #expect(read(text) != nil) }

  @Test func summariesNameTheValue() throws {
    let value = try #require(read("[null, true, 0x1F, 'ten', [], {}]"))
    #expect(
      value.elements?.map(\.summary) == [
        "null", "true", "the number 0x1F", "the string \"ten\"", "an array", "an object",
      ])
    let long = LocatedValue(.string(String(repeating: "x", count: 90) + "\n"), at: value.location)
    #expect(long.summary == "the string \"\(String(repeating: "x", count: 40))…\"")
  }

  private func read(_ text: String) -> LocatedValue? {
    let (value, diagnostics) = LocatedJSON.read(text)
    #expect(diagnostics.isEmpty, "\(diagnostics.rendered(file: "f"))")
    return value
  }

  private func place(_ location: JSON.SourceLocation) -> String { "\(location.line):\(location.column)" }
}
