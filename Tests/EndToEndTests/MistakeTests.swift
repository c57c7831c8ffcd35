import JSON
import Testing

@testable import obload

/// Scenarios and command lines with mistakes: all named at once, with their places, and nothing runs.
@Suite struct MistakeTests {
  static let broken = """
    {
      name: "broken",
      duration: "10 parsecs",
      target: { protocol: "onebase", embedded: {} },
      fleets: [
        { name: "readers", cleints: 10, clients: -3 },
        { name: "readers", clients: 2 },
      ],
      faults: [{ at: "1s", fault: "latency", delay: "20ms", clients: "fleet:nobody" }],
      budgets: ["transition p99 < 250", "transitoin p99 < 250ms", "call p99 < 1s during nothing"],
      extra: 1,
    }
    """
  /// Line and column of each mistake above, in order.
  static let places = ["3:13", "6:24", "6:46", "7:13", "9:66", "10:31", "10:38", "10:85", "11:3"]

  @Test(arguments: ["check", "run"])
  func everyMistakeIsNamedWithItsLineAndColumn(command: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("broken.json5", Self.broken)
    let ended = try Program.obload([command, path], in: folder.path)
    #expect(ended.code == 2)
    #expect(ended.output.isEmpty)
    let lines = ended.errors.split(separator: "\n").map(String.init)
    for (index, place) in Self.places.enumerated() {
      let line = try #require(lines.indices.contains(index) ? lines[index] : nil, "\(ended.errors)")
      #expect(line.hasPrefix("\(path):\(place): "))
    }
    #expect(ended.errors.contains("did you mean \"clients\"?"))
    #expect(ended.errors.contains("did you mean \"transition\"?"))
    if command == "run" { #expect(lines.last == "\(path): nothing was run") }
    #expect(!folder.has("reports"))
  }

  @Test func brokenSyntaxIsNamedWithItsPlace() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "broken.json5",
      """
      {
        name: "x",
        duration "10s",
        target: { protocol: "onebase", embedded: {} },
        fleets: [{ name: "a", clients: 1 }],
      }
      """)
    let ended = try Program.obload(["check", path])
    #expect(ended.code == 2)
    #expect(ended.errors == "\(path):3:12: a string after the key \"duration\"; expected \":\"\n")
  }

  @Test func jsonForMachinesHasTheSameMistakes() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("broken.json5", Self.broken)
    let ended = try Program.obload(["check", path, "--json"])
    #expect(ended.code == 2)
    let answer = try JSONValue.parse(ended.output)
    #expect(answer["right"]?.bool == false)
    let mistakes = answer["mistakes"]?.array ?? []
    #expect(
      mistakes.map { "\($0["line"]?.integer ?? 0):\($0["column"]?.integer ?? 0)" } == Self.places)
    #expect(mistakes.allSatisfy { $0["message"]?.string?.isEmpty == false })
    let right = try Program.obload(["check", Repository.scenario("quickstart"), "--json"])
    #expect(right.code == 0)
    let needs = try JSONValue.parse(right.output)["needs"]
    #expect(needs?["clients"]?.integer == 60)
    #expect(needs?["descriptors"]?.integer == 304)
  }

  @Test func whatDoesNotFitTheMachineIsRefusedWithTheArithmeticAndTheMend() throws {
    for command in ["run", "check"] {
      let ended = try Program.obload([command, Repository.scenario("reconnect-storm"), "--clients", "1000000"])
      #expect(ended.code == 2)
      #expect(ended.errors.contains("1000000 clients need 4000064 descriptors (1000000 × 4 + 64)"), "\(ended.errors)")
      #expect(ended.errors.contains("run at most "))
    }
  }

  @Test(arguments: [
    (["--budget", "call p99 < 1s during nothing"], "there is no fault \"nothing\""),
    (["--budget", "oflfine p99 < 1s"], "did you mean \"offline\"?"),
    (["--budget", "offline p99 < 1 parsec"], "--budget: budget \"offline p99 < 1 parsec\""),
    (["--url", "ws://staging.example.com/api/sync"], "\"staging.example.com\" is not this machine"),
    (["--url", "nonsense"], "\"nonsense\" is not a URL"),
    (["--set", "fleets[nobody].ramp=1s"], "--set fleets[nobody].ramp=1s"),
    (["--duration", "10"], "--duration \"10\": expected a duration with a unit"),
    (["--seed", "x"], "--seed \"x\": expected a whole number"),
    (["--virtual", "--url", "ws://127.0.0.1:1/"], "--virtual needs an embedded server"),
    (["--clients", "1"], "fewer clients than the scenario has fleets"),
    (["--quite"], "unknown option --quite; did you mean --quiet?"),
  ])
  func aMistakeOnTheCommandLineIsNamedAndNothingRuns(arguments: [String], message: String) throws {
    let folder = try TemporaryFolder()
    let ended = try Program.obload(["run", Repository.scenario("quickstart")] + arguments, in: folder.path)
    #expect(ended.code == 2)
    #expect(ended.errors.contains(message), "\(ended.errors)")
    #expect(ended.output.isEmpty)
    #expect(!folder.has("reports"))
  }
}
