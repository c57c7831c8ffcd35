import Testing

@testable import obload

@Suite struct ArgumentsTests {
  private let spec = CommandSpec(
    name: "run", summary: "Run.", arguments: ["SCENARIO"],
    options: [
      OptionSpec("--seed", "N", "the seed"), OptionSpec("--virtual", nil, "virtual time"),
      OptionSpec("--budget", "TEXT", "a budget", repeatable: true),
    ])

  private func mistake(_ words: String...) -> String? {
    do throws(UsageError) {
      _ = try Arguments(words, for: spec)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func optionsAndPositionalsAreToldApart() throws {
    let arguments = try Arguments(
      ["--seed", "7", "a.json5", "--budget=x < 1", "--virtual", "--budget", "y"], for: spec)
    #expect(arguments.positionals == ["a.json5"])
    #expect(try arguments.integer("--seed", in: 0...9) == 7)
    #expect(arguments.all("--budget") == ["x < 1", "y"])
    #expect(arguments.has("--virtual"))
    #expect(!arguments.has("--quiet"))
  }

  @Test func doubleDashEndsTheOptions() throws {
    #expect(try Arguments(["--", "--virtual"], for: spec).positionals == ["--virtual"])
  }

  @Test func mistakesSayWhatWasExpected() {
    #expect(mistake("a", "--sed", "1") == "unknown option --sed; did you mean --seed?")
    #expect(mistake("a", "--seed") == "--seed needs a value: --seed N")
    #expect(mistake("a", "--seed", "1", "--seed", "2") == "--seed is given twice")
    #expect(mistake("a", "--virtual=yes") == "--virtual takes no value")
    #expect(mistake() == "obload run needs SCENARIO; usage: obload run SCENARIO [options]")
    #expect(mistake("a", "b") == "unexpected argument \"b\"; usage: obload run SCENARIO [options]")
  }

  @Test func numbersAndDurationsAreCheckedWithTheirRange() throws {
    let arguments = try Arguments(["a", "--seed", "99"], for: spec)
    #expect {
      try arguments.integer("--seed", in: 0...9)
    } throws: {
      "\($0)" == "--seed \"99\": expected a whole number from 0 to 9"
    }
    #expect {
      try arguments.duration("--seed")
    } throws: {
      "\($0)".hasPrefix("--seed \"99\": expected a duration with a unit")
    }
  }

  @Test func helpListsEveryOptionInColumns() {
    #expect(
      spec.help == """
        usage: obload run SCENARIO [options]

        Run.

        options:
          --seed N       the seed
          --virtual      virtual time
          --budget TEXT  a budget (may be repeated)
        """)
  }
}
