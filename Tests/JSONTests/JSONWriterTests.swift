import Core
import JSON
import Testing

struct JSONWriterTests {
  @Test func writesCompactTextInTheOrderBuilt() {
    let value: JSONValue = ["b": [1, -2, 1.5], "a": nil, "c": [true, false], "d": "x", "e": [:], "f": []]
    #expect(value.text == #"{"b":[1,-2,1.5],"a":null,"c":[true,false],"d":"x","e":{},"f":[]}"#)
  }

  @Test func escapesWhatMustBe() {
    #expect(
      JSONValue.string("\"\\/\u{8}\u{C}\n\r\t\0\u{1F}\u{7F}é😀").text == #""\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7F}é😀\"")
    var out: [UInt8] = []
    JSONText.appendString("abc\"def".dropFirst(2), to: &out)
    #expect(String(decoding: out, as: UTF8.self) == #""c\"def""#)
  }

  @Test func writesIntegersOfEveryWidth() {
    #expect(integer(Int64.min) == "-9223372036854775808")
    #expect(integer(Int64.max) == "9223372036854775807")
    #expect(integer(UInt64.max) == "18446744073709551615")
    #expect(integer(0) == "0")
    #expect(integer(UInt8(10)) == "10")
    #expect(integer(-105) == "-105")
  }

  private func integer(_ value: some FixedWidthInteger) -> String {
    var out: [UInt8] = []
    JSONText.appendInteger(value, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  @Test(arguments: [0, -0.0, 0.1, 1e21, Double.leastNonzeroMagnitude, 1.7976931348623157e308, 123456789.125, -1e-7])
  func doublesReadBackTheSame(number: Double) throws {
    let read = try JSONValue.parse(JSONValue.number(number).text)
    #expect(read.double == number)
  }

  @Test func numbersThatJSONLacksAreWrittenAsNull() {
    #expect(([.number(.nan), .number(.infinity), .number(-.infinity)] as JSONValue).text == "[null,null,null]")
  }

  @Test func theCanonicalTextIsTheSameForEqualValues() throws {
    let a = try JSONValue.parse(#"{"b":1.0,"a":[{"y":1e2,"x":"\u00e9"}],"é":0,"z":0.5}"#)
    let b = try JSONValue.parse(#"{ "z":5e-1,"é":-0.0,"a":[{"x":"é","y":100}],"b":1 }"#)
    #expect(a.canonical() == b.canonical())
    #expect(String(decoding: a.canonical(), as: UTF8.self) == #"{"a":[{"x":"é","y":100}],"b":1,"z":0.5,"é":0}"#)
  }

  @Test func prettyTextIsIndented() {
    let value: JSONValue = ["b": [1, [:]], "a": ["x": "y"], "c": []]
    #expect(
      value.prettyText() == """
        {
          "b": [
            1,
            {}
          ],
          "a": {
            "x": "y"
          },
          "c": []
        }
        """)
    #expect((["a": 1] as JSONValue).prettyText(indent: 4) == "{\n    \"a\": 1\n}")
  }

  @Test func randomValuesSurviveWritingAndReading() throws {
    var random = SeededRandom(seed: 1, purpose: .test)
    for _ in 0..<500 {
      let value = RandomJSON.value(&random, depth: 4)
      #expect(try JSONValue.parse(value.encoded()) == value)
      #expect(try JSONValue.parse(value.prettyText()) == value)
      #expect(try JSONValue.parse(value.canonical()).canonical() == value.canonical())
      #expect(try JSONValue.parse(value.encoded()).encoded() == value.encoded())
    }
  }
}
