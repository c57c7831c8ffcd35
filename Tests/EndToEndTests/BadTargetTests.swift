import JSON
import Testing

@testable import obload

/// Targets that are broken in every way there is: a named error, a report, bounded memory, never a crash or a hang.
@Suite struct BadTargetTests {
  /// Small, and quick to give up.
  static let scenario = """
    { name: "bad", seed: 1, duration: "1200ms", settle: "300ms",
      target: { protocol: "onebase", url: "ws://127.0.0.1:1/api/sync" },
      fleets: [{ name: "a", clients: 4, reconnect: { list: ["250ms", "300ms", "350ms"], jitter: "none" },
        subscribe: [{ path: "notes:list", args: { room: "1" } }],
        calls: [{ kind: "mutation", path: "notes:add", args: { room: "1", text: "{marker}" }, rate: "4/s" }] }],
      budgets: ["transition p99 < 5s"],
    }
    """

  /// A run against a server that is bad to every connection, or to every second.
  private final class Attempt {
    let badness: Badness
    let folder: TemporaryFolder
    private let server: BadServer
    private let program: Program

    init(_ badness: Badness, _ more: [String] = [], every: Int = 1, scenario: String = BadTargetTests.scenario) throws {
      self.badness = badness
      folder = try TemporaryFolder()
      server = try BadServer(badness, every: every)
      let path = try folder.write("bad.json5", scenario)
      program = try Program(
        try Repository.program(), ["run", path, "--url", server.url, "--out", folder.path] + more)
    }

    deinit { server.stop() }

    func end() throws -> (Program.Ended, Report) {
      let ended = program.end()
      return (ended, try Report(folder.path))
    }
  }

  /// How the first connection of each fails, by the name that the report counts it under.
  static let neverOpen: [(Badness, String)] = [
    (.hangs, "connect: timed out"),
    (.answers404, "upgrade refused: 404"),
    (.answers200, "upgrade refused: 200"),
    (.answersNoHTTP, "connect: the answer to the upgrade is not HTTP"),
    (.wrongAccept, "connect: 101 with a wrong Sec-WebSocket-Accept"),
  ]

  @Test func targetsThatNeverOpenAreNamed() throws {
    // At once, since they mostly wait.
    let impatient = ["--set", "fleets[a].connectTimeout=300ms"]
    let attempts = try Self.neverOpen.map { badness, name in
      (attempt: try Attempt(badness, badness == .hangs ? impatient : []), name: name)
    }
    for (attempt, name) in attempts {
      let (ended, report) = try attempt.end()
      #expect(ended.code == 3, "\(attempt.badness): \(ended.text)")
      #expect(report.reasons.contains("no client ever connected: \(name)"), "\(attempt.badness): \(report.reasons)")
      // Each of the four tried more than once: the run went on.
      #expect(report.errors[name] ?? 0 > 4, "\(attempt.badness): \(report.errors)")
      #expect(report.residentBytes < 150 << 20, "\(attempt.badness)")
      #expect(ended.output.contains("no client ever connected"))
    }
  }

  static let openAndBreak: [(Badness, String)] = [
    (.reservedBits, "WebSocket failure 1002: reserved bits"),
    (.unknownOpcode, "WebSocket failure 1002: reserved opcode 3"),
    (.masked, "masked"),
    (.invalidUTF8, "UTF-8"),
    (.hugeFrame, "WebSocket failure 1009: frame of 100000000 bytes, the limit is 16777216"),
    (.fragmentsWithoutEnd, "WebSocket failure 1009: message of more than "),
    (.nonJSON, "not a onebase message"),
    (.binary, "not a onebase message"),
    (.unknownType, "message of an unknown type"),
  ]

  @Test func peersThatBreakTheProtocolAreNamedAndEndTheirOwnConnectionOnly() throws {
    let attempts = try Self.openAndBreak.map { (attempt: try Attempt($0.0), name: $0.1) }
    for (attempt, name) in attempts {
      let (ended, report) = try attempt.end()
      #expect([1, 3].contains(ended.code), "\(attempt.badness): \(ended.text)")
      // Sixteen megabytes in fragments take a while.
      let least = attempt.badness == .fragmentsWithoutEnd ? 1 : 4
      let hasName = report.errors.contains { $0.key.contains(name) && $0.value >= least }
      #expect(hasName, "\(attempt.badness): \(report.errors)")
      #expect(report.residentBytes < 250 << 20, "\(attempt.badness)")
      #expect(report.counter("calls") > 0)
    }
  }

  @Test(arguments: [Badness.closesAtOnce, .resetsAtOnce])
  func aTargetThatEndsConnectionsAtOnceIsNamed(badness: Badness) throws {
    let (ended, report) = try Attempt(badness).end()
    #expect(ended.code == 3, "\(ended.text)")
    // By the probe before the run or by each client in it, and as a FIN or an RST, whichever is quicker.
    let names = [
      "target unreachable: ", "no client ever connected: connect: reset in the upgrade",
      "no client ever connected: connect: ended in the upgrade",
    ]
    #expect(report.reasons.contains { reason in names.contains { reason.hasPrefix($0) } }, "\(report.reasons)")
  }

  @Test func aTargetThatRefusesIsNamedBeforeTheRunBegins() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("bad.json5", Self.scenario)
    let ended = try Program.obload(["run", path, "--out", folder.path])
    let report = try Report(folder.path)
    #expect(ended.code == 3)
    #expect(report.reasons.first?.hasPrefix("target unreachable: 127.0.0.1:1: connection refused") == true)
  }

  @Test func everySecondConnectionIsBadAndTheOthersKeepTheirBudgets() throws {
    let half = Self.scenario.replacing("clients: 4", with: "clients: 12").replacing("300ms\",\n", with: "10s\",\n")
    let kinds: [Badness] = [.invalidUTF8, .nonJSON, .hugeFrame, .closesAfterUpgrade, .answers404, .closesAtOnce]
    let require = #"clauses.require=["OB-S8", "OB-S12", "OB-S13"]"#
    let attempts = try kinds.map { try Attempt($0, ["--set", require], every: 2, scenario: half) }
    for attempt in attempts {
      let (ended, report) = try attempt.end()
      // A busy machine may leave it without a verdict, which says so; it never fails.
      let isSaturated = report.summary["generator"]?["valid"]?.bool == false
      #expect(ended.code == (isSaturated ? 3 : 0), "\(attempt.badness): \(ended.text)")
      #expect(report.errors.isEmpty == (attempt.badness == .closesAfterUpgrade), "\(report.errors)")
      #expect(report.metric("transition")?["count"]?.integer ?? 0 > 10)
      #expect(report.summary["fleets"]?[0]?["connectedAtEnd"]?.integer == 12, "\(attempt.badness)")
    }
  }
}
