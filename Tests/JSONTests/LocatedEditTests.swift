import JSON
import Testing

struct LocatedEditTests {
  private let scenario = "{ seed: 7, fleets: [{ name: 'readers', clients: 5 }, { name: 'writers' }] }"

  @Test(arguments: [
    ("seed=8", #"{"seed":8,"fleets":[{"name":"readers","clients":5},{"name":"writers"}]}"#),
    ("duration=90s", #"{"seed":7,"fleets":[{"name":"readers","clients":5},{"name":"writers"}],"duration":"90s"}"#),
    ("fleets.0.clients=0x10", #"{"seed":7,"fleets":[{"name":"readers","clients":16},{"name":"writers"}]}"#),
    ("fleets[1].ramp='1s'", #"{"seed":7,"fleets":[{"name":"readers","clients":5},{"name":"writers","ramp":"1s"}]}"#),
    ("fleets[readers].clients=9", #"{"seed":7,"fleets":[{"name":"readers","clients":9},{"name":"writers"}]}"#),
    ("fleets.writers.name=w=x", #"{"seed":7,"fleets":[{"name":"readers","clients":5},{"name":"w=x"}]}"#),
    (
      "fleets[2]={name: 'more'}",
      #"{"seed":7,"fleets":[{"name":"readers","clients":5},{"name":"writers"},{"name":"more"}]}"#
    ),
    ("fleets=[]", #"{"seed":7,"fleets":[]}"#),
    ("target.url=", #"{"seed":7,"fleets":[{"name":"readers","clients":5},{"name":"writers"}],"target":{"url":""}}"#),
  ])
  func assignmentsReplaceAndAdd(assignment: String, expected: String) throws {
    #expect(try value(scenario).applying(assignment: assignment).json.text == expected)
  }

  @Test(arguments: [
    ("seed", "--set seed: there is no \"=\"; expected key.path=value"),
    ("=1", "--set =1: \"\" is not a path; expected a path such as seed, target.url or fleets[readers].clients"),
    (
      "a..b=1",
      "--set a..b=1: \"a..b\" is not a path; expected a path such as seed, target.url or fleets[readers].clients"
    ),
    ("a[=1", "--set a[=1: \"a[\" is not a path; expected a path such as seed, target.url or fleets[readers].clients"),
    (
      "fleets[reader].clients=1",
      "--set fleets[reader].clients=1: the path \"fleets[reader].clients\" leads nowhere: no element has the name \"reader\"; "
        + "expected a number, or one of \"readers\", \"writers\"; did you mean \"readers\"?"
    ),
    (
      "fleets.3.clients=1",
      "--set fleets.3.clients=1: the path \"fleets.3.clients\" leads nowhere: there is no element 3; expected 0 to 2"
    ),
    (
      "seed.x=1",
      "--set seed.x=1: the path \"seed.x\" leads nowhere: there is the number 7 where \"x\" should be looked up; "
        + "expected an object or an array there"
    ),
  ])
  func wrongAssignmentsAreExplained(assignment: String, expected: String) throws {
    let value = try value(scenario)
    let error = #expect(throws: Diagnostic.self) { try value.applying(assignment: assignment) }
    #expect(error?.rendered(file: "f") == expected)
  }

  @Test func mistakesInAnAssignedValueNameTheAssignment() throws {
    let edited = try value(scenario).applying(assignment: "seed=abc")
    let diagnostics = Diagnostics()
    _ = SectionDecoder(edited, what: "a scenario", diagnostics: diagnostics).integer("seed")
    #expect(
      diagnostics.rendered(file: "f")
        == "--set seed=abc: \"seed\" of a scenario cannot be the string \"abc\"; expected a whole number")
  }

  @Test func settingKeepsThePlaceOfTheRest() throws {
    let value = try value(scenario)
    let new = LocatedValue(.bool(true), at: JSON.SourceLocation(line: 9, column: 9))
    let edited = try value.setting(path: "fleets.0.clients", to: new)
    #expect(edited["fleets"]?.elements?[0]["clients"]?.location == new.location)
    #expect(edited["seed"] == value["seed"])
    let error = #expect(throws: Diagnostic.self) { try value.setting(path: "seed.x", to: new) }
    #expect(error?.location == value["seed"]?.location)
  }

  @Test func environmentVariablesAreSubstituted() throws {
    let diagnostics = Diagnostics()
    let value = try value(
      "{ '${A}': 'x${A}y${B_2}', list: ['$${A}', '$', '$A', 'a$', 5, '${EMPTY}'], deep: { k: '${A}' } }"
    )
    .substituting(environment: ["A": "1$", "B_2": "${A}", "EMPTY": ""], diagnostics: diagnostics)
    #expect(diagnostics.isEmpty)
    #expect(
      value.json == ["${A}": "x1$y${A}", "list": ["${A}", "$", "$A", "a$", 5, ""], "deep": ["k": "1$"]])
  }

  @Test func unsetAndMalformedVariablesAreReported() throws {
    let diagnostics = Diagnostics()
    _ = try value("{ a: '${HOSTT} ${NOPE_NOPE}',\n b: ['${'], c: '${}', d: '${1A}', e: '${A B}', f: '${A${B}}' }")
      .substituting(environment: ["HOST": "h"], diagnostics: diagnostics)
    let malformed = "is not a variable; expected ${NAME} with letters, digits and _ (write $${ for a plain ${)"
    #expect(
      diagnostics.rendered(file: "f") == """
        f:1:6: the environment variable HOSTT is not set; expected it to be set where obload runs; did you mean "HOST"?
        f:1:6: the environment variable NOPE_NOPE is not set; expected it to be set where obload runs
        f:2:6: "${" \(malformed)
        f:2:16: "${" \(malformed)
        f:2:26: "${1A" \(malformed)
        f:2:38: "${A B" \(malformed)
        f:2:51: "${A" \(malformed)
        """)
  }

  private func value(_ text: String) throws -> LocatedValue {
    let (value, diagnostics) = LocatedJSON.read(text)
    #expect(diagnostics.isEmpty)
    return try #require(value)
  }
}
