import JSON
import Testing

struct SectionDecoderTests {
  private enum Color: String, CaseIterable { case red, green, darkBlue }

  @Test func readsEveryType() throws {
    let (decoder, diagnostics) = try decode(
      """
      { s: 'x', e: "darkBlue", i: 5, n: 1.5, b: true, d: '250ms', r: '30/m', p: '30%', z: '64KiB',
        a: [1, 2], o: { k: 1 }, any: null, list: ['x', 'y'], many: [{ k: 1 }, { k: 2 }] }
      """)
    #expect(decoder.string("s") == "x")
    #expect(decoder.string("s", oneOf: ["x", "y"]) == "x")
    #expect(decoder.choice("e", as: Color.self) == .darkBlue)
    #expect(decoder.integer("i", in: 1...5) == 5)
    #expect(decoder.number("n", in: 0...2) == 1.5)
    #expect(decoder.number("i") == 5)
    #expect(decoder.bool("b") == true)
    #expect(decoder.duration("d") == .milliseconds(250))
    #expect(decoder.rate("r") == 0.5)
    #expect(decoder.share("p") == 0.3)
    #expect(decoder.size("z") == 65_536)
    #expect(decoder.array("a")?.count == 2)
    #expect(decoder.object("o")?.json == ["k": 1])
    #expect(decoder.json("any") == .null)
    #expect(decoder.strings("list") == ["x", "y"])
    #expect(decoder.section("o", what: "an o")?.integer("k") == 1)
    #expect(decoder.sections("many", what: "one").map { $0.integer("k") } == [1, 2])
    #expect(decoder.integer("absent") == nil)
    #expect(!decoder.has("absent"))
    #expect(decoder.has("s"))
    decoder.finish()
    #expect(diagnostics.isEmpty, "\(diagnostics.rendered(file: "f"))")
  }

  @Test func wrongTypesAndRangesAreReportedInTheirPlace() throws {
    let (decoder, diagnostics) = try decode(
      """
      { s: 1,
        e: "drakBlue",
        i: 1.5,
        j: 0,
        n: 'x',
        b: 'True',
        d: 5,
        f: '5 parsecs',
        g: '1h',
        r: 2,
        p: 0.3,
        q: 30,
        z: 64,
        a: {},
        o: [],
        list: ['x', 1],
        many: [{}, 2],
        k: 0 }
      """)
    _ = decoder.string("s")
    _ = decoder.choice("e", as: Color.self)
    _ = decoder.integer("i")
    _ = decoder.integer("j", in: 1...Int.max)
    _ = decoder.number("n", in: 0...1.5)
    _ = decoder.bool("b")
    _ = decoder.duration("d")
    _ = decoder.duration("f")
    _ = decoder.duration("g", in: .zero ... .seconds(60))
    _ = decoder.rate("r")
    _ = decoder.share("p")
    _ = decoder.share("q")
    _ = decoder.size("z")
    _ = decoder.array("a")
    _ = decoder.object("o")
    #expect(decoder.strings("list") == ["x"])
    #expect(decoder.sections("many", what: "a thing").count == 1)
    _ = decoder.integer("k", in: 1...9)
    let duration = "a duration with a unit, such as \"250ms\", \"1.5s\", \"4m\" or \"1h\""
    #expect(
      diagnostics.rendered(file: "f") == """
        f:1:6: "s" of a test cannot be the number 1; expected a string in quotes
        f:2:6: "e" of a test cannot be the string "drakBlue"; expected one of "red", "green", "darkBlue"; did you mean "darkBlue"?
        f:3:6: "i" of a test cannot be the number 1.5; expected a whole number
        f:4:6: "j" of a test cannot be the number 0; expected a whole number of at least 1
        f:5:6: "n" of a test cannot be the string "x"; expected a number from 0 to 1.5
        f:6:6: "b" of a test cannot be the string "True"; expected true or false; did you mean "true"?
        f:7:6: "d" of a test cannot be the number 5; expected \(duration); did you mean "5s"?
        f:8:6: "f" of a test cannot be the string "5 parsecs"; expected \(duration)
        f:9:6: "g" of a test cannot be the string "1h"; expected \(duration), of at most 60.0 s
        f:10:6: "r" of a test cannot be the number 2; expected a rate such as "0.5/s", "30/m" or "2/h"; did you mean "2/s"?
        f:11:6: "p" of a test cannot be the number 0.3; expected a share such as "30%" (0% to 100%); did you mean "30%"?
        f:12:6: "q" of a test cannot be the number 30; expected a share such as "30%" (0% to 100%); did you mean "30%"?
        f:13:6: "z" of a test cannot be the number 64; expected a size such as "512B", "64KiB" or "1MB"; did you mean "64B"?
        f:14:6: "a" of a test cannot be an object; expected an array [ … ]
        f:15:6: "o" of a test cannot be an array; expected an object { … }
        f:16:15: "list" of a test cannot hold the number 1; expected strings in quotes
        f:17:14: a thing cannot be the number 2; expected an object { … }
        f:18:6: "k" of a test cannot be the number 0; expected a whole number from 1 to 9
        """)
  }

  @Test func missingRequiredKeysAreNamedAtTheObject() throws {
    let (decoder, diagnostics) = try decode("\n  { }")
    _ = decoder.string("name", required: true)
    _ = decoder.integer("clients", in: 1...10, required: true)
    _ = decoder.json("args", required: true)
    #expect(
      diagnostics.rendered(file: "f") == """
        f:2:3: a test needs "name"; expected a string in quotes
        f:2:3: a test needs "clients"; expected a whole number from 1 to 10
        f:2:3: a test needs "args"
        """)
  }

  @Test func unknownKeysGetTheNearestKnownOne() throws {
    let (decoder, diagnostics) = try decode("{ name: 'x', cleints: 5, zzz: 1 }")
    _ = decoder.string("name")
    _ = decoder.integer("clients")
    decoder.note("ramp")
    decoder.finish()
    let known = #"one of "name", "clients", "ramp""#
    #expect(
      diagnostics.rendered(file: "f") == """
        f:1:14: a test has no key "cleints"; expected \(known); did you mean "clients"?
        f:1:26: a test has no key "zzz"; expected \(known)
        """)
  }

  @Test func exclusiveKeysAreReported() throws {
    let (decoder, diagnostics) = try decode("{ url: 'x', embedded: {} }")
    #expect(decoder.exclusive(["url", "embedded", "file"]) == "url")
    #expect(decoder.exclusive(["p", "q"]) == nil)
    #expect(decoder.exclusive(["p", "q"], required: true) == nil)
    decoder.finish()
    #expect(
      diagnostics.rendered(file: "f") == """
        f:1:1: a test lacks what it needs; expected one of "p", "q"
        f:1:13: a test cannot have "embedded" beside "url"; expected only one of "url", "embedded", "file"
        """)
  }

  @Test func whatIsNoObjectIsReportedOnce() {
    let (value, diagnostics) = LocatedJSON.read(" 5")
    let decoder = SectionDecoder(
      value ?? LocatedValue(.null, at: JSON.SourceLocation(line: 1, column: 1)), what: "a fleet",
      diagnostics: diagnostics)
    #expect(decoder.string("name", required: true) == nil)
    #expect(decoder.exclusive(["a"], required: true) == nil)
    decoder.finish()
    #expect(diagnostics.rendered(file: "f") == "f:1:2: a fleet cannot be the number 5; expected an object { … }")
  }

  @Test func whatTheReaderReportedIsNotReportedAgain() {
    let (value, diagnostics) = LocatedJSON.read("{ name: readers, clients: 'x' }")
    let decoder = SectionDecoder(
      value ?? LocatedValue(.null, at: JSON.SourceLocation(line: 1, column: 1)), what: "a fleet",
      diagnostics: diagnostics)
    #expect(decoder.string("name", required: true) == nil)
    #expect(decoder.integer("clients") == nil)
    #expect(
      diagnostics.rendered(file: "f") == """
        f:1:9: readers stands without quotes; expected a value, text in quotes
        f:1:27: "clients" of a fleet cannot be the string "x"; expected a whole number
        """)
  }

  @Test func ownMistakesStandAtTheKeysValue() throws {
    let (decoder, diagnostics) = try decode("{ clauses: 5 }")
    decoder.mistake("clauses", "no", expected: "yes", suggestion: "maybe")
    decoder.mistake("absent", "gone")
    #expect(decoder.location(of: "clauses").column == 12)
    #expect(diagnostics.rendered(file: "f") == "f:1:1: gone\nf:1:12: no; expected yes; did you mean \"maybe\"?")
  }

  private func decode(_ text: String) throws -> (SectionDecoder, Diagnostics) {
    let (value, diagnostics) = LocatedJSON.read(text)
    #expect(diagnostics.isEmpty, "\(diagnostics.rendered(file: "f"))")
    return (SectionDecoder(try #require(value), what: "a test", diagnostics: diagnostics), diagnostics)
  }
}
