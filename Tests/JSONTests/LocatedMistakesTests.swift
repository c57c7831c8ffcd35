import Core
import JSON
import Testing

struct LocatedMistakesTests {
  @Test func aFileWithSixMistakesListsAllSix() {
    let text = """
      {
        name: "storm",
        seed: 7s,
        duration "60s",
        fleets: [
          { name: readers, clients: 800 },
          { name: "writers" clients: 200 },
        ],
        token: 'abc,
        name: "again",
        good: true
      }
      """
    let (value, diagnostics) = LocatedJSON.read(text)
    #expect(
      diagnostics.rendered(file: "s.json5") == """
        s.json5:3:9: 7s is not a number; expected quotes around a number with a unit: "7s"
        s.json5:4:12: a string after the key "duration"; expected ":"
        s.json5:6:13: readers stands without quotes; expected a value, text in quotes
        s.json5:7:23: "clients" after the value of "name"; expected "," or "}"
        s.json5:9:10: the string is not closed on its line; expected a closing '
        s.json5:10:3: the key "name" is already there, at line 2, column 3; expected each key once
        """)
    // What could be read is there, so that decoders can report the rest.
    #expect(value?.members?.map(\.key) == ["name", "seed", "duration", "fleets", "token", "good"])
    #expect(value?["seed"]?.kind == .invalid)
    #expect(value?["fleets"]?.json == [["name": nil, "clients": 800], ["name": "writers", "clients": 200]])
  }

  @Test(arguments: [
    ("", "1:1: the file is empty; expected a value"),
    (" // nothing\n", "2:1: the file is empty; expected a value"),
    ("{} x", "1:4: \"x\" after the end of the value; expected the end of the file"),
    ("{", "1:2: the file ends inside the object that starts at line 1, column 1; expected \"}\""),
    ("{a: [1, {b: 2", "1:14: the file ends inside the object that starts at line 1, column 9; expected \"}\""),
    ("{a:", "1:4: the file ends after \"a:\"; expected a value"),
    ("{a}", "1:3: \"}\" after the key \"a\"; expected \":\""),
    ("{a: }", "1:5: \"}\" where a value should be after \"a:\"; expected a value"),
    ("{a: , b: 1}", "1:5: \",\" where a value should be after \"a:\"; expected a value"),
    ("{,}", "1:2: \",\" where a key should be; expected a key or \"}\""),
    ("{a: 1,, b: 2}", "1:7: \",\" where a key should be; expected a key or \"}\""),
    ("[1,,2]", "1:4: \",\" where a value should be; expected a value or \"]\""),
    ("[1 2]", "1:4: \"2\" after a value; expected \",\" or \"]\""),
    ("{a = 1}", "1:4: \"=\" after the key \"a\"; expected \":\""),
    ("{a: 1\n b: 2}", "2:2: \"b\" after the value of \"a\"; expected \",\" or \"}\""),
    ("{a: [1, 2}", "1:10: \"}\" in the array that starts at line 1, column 5; expected \"]\""),
    ("[{a: 1]", "1:7: \"]\" in the object that starts at line 1, column 2; expected \"}\""),
    ("{max-clients: 1}", "1:2: the key max-clients needs quotes; expected \"max-clients\""),
    ("{1a: 1}", "1:2: the key 1a needs quotes; expected \"1a\""),
    ("{a: True}", "1:5: True stands without quotes; expected a value, text in quotes; did you mean \"true\"?"),
    ("{a: hello world}", "1:5: hello stands without quotes; expected a value, text in quotes"),
    ("{a: 10 s, b: 1}", "1:8: \"s\" after the value of \"a\"; expected \",\" or \"}\""),
    ("{a: 0.5/s}", "1:5: 0.5/s is not a number; expected quotes around a number with a unit: \"0.5/s\""),
    ("{a: 30%}", "1:5: 30% is not a number; expected quotes around a number with a unit: \"30%\""),
    ("[Infinity]", "1:2: Infinity is not allowed; expected a finite number"),
    ("[-NaN]", "1:2: -NaN is not allowed; expected a finite number"),
    ("[010]", "1:2: 010 starts with a needless zero; expected a number without leading zeros"),
    ("[0x]", "1:2: 0x is not a hexadecimal number; expected digits and A to F after 0x"),
    ("[0x11112222333344445]", "1:2: 0x11112222333344445 is too large; expected at most 16 hexadecimal digits"),
    ("[1e999]", "1:2: 1e999 is too large; expected a number within the range of a double"),
    ("[--1]", "1:2: --1 is not a number; expected one sign at most"),
    ("[1.2.3]", "1:2: 1.2.3 is not a number; expected a number such as 10, -1.5, .5, 1e3 or 0x1F"),
    ("[.]", "1:2: . is not a number; expected a number such as 10, -1.5, .5, 1e3 or 0x1F"),
    ("[1e]", "1:2: 1e is not a number; expected a number such as 10, -1.5, .5, 1e3 or 0x1F"),
    ("/* open", "1:1: the comment is not closed; expected \"*/\""),
    ("{a: 1 /* open", "1:7: the comment is not closed; expected \"*/\""),
    ("['a\n]", "1:2: the string is not closed on its line; expected a closing '"),
    ("[\"\\x4\"]", "1:3: an escape is cut short; expected 2 hexadecimal digits"),
    ("['\\ud800']", "1:3: \"\\ud800\" is half a surrogate pair; expected both halves, high one first"),
    ("['\\udc00']", "1:3: \"\\udc00\" is half a surrogate pair; expected both halves, high one first"),
    ("['\\1']", "1:3: \"\\1\" is not an escape; expected \\0 or \\xHH"),
    ("['a\0b']", "1:4: a control character (0) in a string; expected an escape such as \\u0000"),
    ("[\0]", "1:2: a control character (0) where a value should be; expected a value"),
    ("[#]", "1:2: \"#\" where a value should be; expected a value"),
    ("# no\n", "1:1: \"#\" where a value should be; expected a value"),
  ])
  func reportsOneMistakeInItsPlace(text: String, expected: String) {
    #expect(rendered(text) == "f:" + expected)
  }

  @Test func whatFollowsAMistakeIsRead() {
    let (value, _) = LocatedJSON.read("{a: @ [1, {x: 2}, '}'], b: 1, c: ! \n d: 2, e: [1, *, 3]}")
    #expect(value?.members?.map(\.key) == ["a", "b", "c", "d", "e"])
    #expect(value?.json == ["a": nil, "b": 1, "c": nil, "d": 2, "e": [1, nil, 3]])
  }

  @Test func invalidUTF8IsReportedInItsPlace() {
    let (value, diagnostics) = LocatedJSON.read(Array("{\n a: \"é".utf8) + [0xFF] + Array("\"}".utf8))
    #expect(value == nil)
    #expect(diagnostics.rendered(file: "f") == "f:2:7: the file is not UTF-8 text; expected a file saved as UTF-8")
  }

  @Test func sizeAndDepthAreCapped() {
    #expect(LocatedJSON.read("[1, 2]", limits: JSONLimits(bytes: 3)).diagnostics.hasErrors)
    #expect(
      rendered(String(repeating: "[", count: 129) + "1" + String(repeating: "]", count: 129)).contains(
        "1:129: values are nested too deep"))
    #expect(rendered(String(repeating: "[", count: 128) + String(repeating: "]", count: 128)) == "")
    #expect(LocatedJSON.read(String(repeating: "{a:[", count: 50_000)).diagnostics.hasErrors)
  }

  @Test func aFileFullOfMistakesStopsBeingRead() {
    let (_, diagnostics) = LocatedJSON.read("[" + String(repeating: "@,", count: 5000) + "]")
    #expect(diagnostics.count == 101)
    #expect(diagnostics.all.last?.message == "too many mistakes; the rest of the file was not read")
  }

  @Test func aThousandDuplicatesAreCutShortToo() {
    let (_, diagnostics) = LocatedJSON.read("{" + String(repeating: "a: 1, ", count: 1000) + "}")
    #expect(diagnostics.count == 101)
  }

  @Test func theDeepestLimitIsStillSafe() throws {
    let limits = JSONLimits(depth: .max)
    let text = String(repeating: "{\"a\":[", count: 256) + String(repeating: "]}", count: 256)
    let (value, diagnostics) = LocatedJSON.read(text, limits: limits)
    #expect(diagnostics.isEmpty)
    let parsed = try JSONValue.parse(text, limits: limits)
    #expect(value?.json == parsed)
    #expect(parsed.text == text)
    #expect(!parsed.canonical().isEmpty && !parsed.prettyText().isEmpty)
  }

  @Test func everyTruncationIsAMistake() {
    let sample = "{ a: [1, 'x\\u00e9', {b: 0x1F}], // c\n \"d\": \"\\\n\", /* e */ é: -.5e3, }"
    #expect(rendered(sample) == "")
    let bytes = Array(sample.utf8)
    for length in 0..<bytes.count {
      #expect(LocatedJSON.read(Array(bytes[..<length])).diagnostics.hasErrors, "\(length) bytes")
    }
  }

  @Test func anyBytesAreReadToTheEnd() {
    var random = SeededRandom(seed: 4, purpose: .test)
    let alphabet = Array("{}[]\",:'\\/*\n\r ua1.e-+$\0\u{E9}".utf8) + [0xFF]
    for _ in 0..<3000 {
      let bytes = (0..<random.integer(in: 0...40)).map { _ in
        alphabet[Int(random.integer(in: 0...Int64(alphabet.count - 1)))]
      }
      let (value, diagnostics) = LocatedJSON.read(bytes)
      #expect(value != nil || diagnostics.hasErrors)
    }
  }

  @Test func readsWhatTheStrictParserReads() throws {
    var random = SeededRandom(seed: 5, purpose: .test)
    for _ in 0..<200 {
      let value = RandomJSON.value(&random, depth: 4)
      let (located, diagnostics) = LocatedJSON.read(value.prettyText())
      #expect(diagnostics.isEmpty, "\(diagnostics.rendered(file: value.text))")
      #expect(located?.json == value)
    }
  }

  private func rendered(_ text: String) -> String { LocatedJSON.read(text).diagnostics.rendered(file: "f") }
}
