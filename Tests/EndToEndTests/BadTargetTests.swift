import JSON
import Testing

@testable import obload

/// Targets that are broken in every way there is: a named error, a report, bounded memory, never a crash or a hang.
@Suite struct BadTargetTests {
  /// Small, and quick to give up.
  static let scenario = """
    { name: "bad", seed: 1, duration: "1200ms", settle: "300ms",
      target: { protocol: "onebase", url: "ws://127.0.0.1:1/api/sync" },
      fleets: [{ name: "a", clients: 4, connectTimeout: "300ms", reconnect: { list: ["250ms", "300ms", "350ms"], jitter: "none" },
        subscribe: [{ path: "notes:list", args: { room: "1" } }],
        calls: [{ kind: "mutation", path: "notes:add", args: { room: "1", text: "{marker}" }, rate: "4/s" }] }],
      budgets: ["transition p99 < 5s"],
    }
    """

  private func run(_ badness: Badness) throws -> (Program.Ended, Report) {
    let server = try BadServer(badness)
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let path = try folder.write("bad.json5", Self.scenario)
    let ended = try Program.obload(["run", path, "--url", server.url, "--out", folder.path])
    return (ended, try Report(folder.path))
  }

  /// How the first connection of each fails, by the name that the report counts it under.
  static let neverOpen: [(Badness, String)] = [
    (.hangs, "connect: timed out"),
    (.answers404, "upgrade refused: 404"),
    (.answers200, "upgrade refused: 200"),
    (.answersNoHTTP, "connect: the answer to the upgrade is not HTTP"),
    (.wrongAccept, "connect: 101 with a wrong Sec-WebSocket-Accept"),
    (.closesAtOnce, "connect: ended in the upgrade"),
  ]

  @Test(arguments: neverOpen)
  func aTargetThatNeverOpensIsNamed(badness: Badness, name: String) throws {
    let (ended, report) = try run(badness)
    #expect(ended.code == 3, "\(ended.text)")
    #expect(report.reasons.contains { $0 == "no client ever connected: \(name)" }, "\(report.reasons)")
    // Each of the four tried more than once: the run went on.
    #expect(report.errors[name] ?? 0 > 4, "\(report.errors)")
    #expect(report.residentBytes < 150 << 20)
    #expect(ended.output.contains("no client ever connected"))
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

  @Test(arguments: openAndBreak)
  func aPeerThatBreaksTheProtocolIsNamedAndEndsItsOwnConnectionOnly(badness: Badness, name: String) throws {
    let (ended, report) = try run(badness)
    #expect([1, 3].contains(ended.code), "\(ended.text)")
    #expect(report.errors.contains { $0.key.contains(name) && $0.value >= 4 }, "\(report.errors)")
    #expect(report.residentBytes < 250 << 20)
    #expect(report.counter("calls") > 0)
  }

  @Test func aTargetThatResetsAtOnceIsNamed() throws {
    let (ended, report) = try run(.resetsAtOnce)
    #expect(ended.code == 3, "\(ended.text)")
    // Before the run, or by each client in it, as the reset is quicker than the probe or slower.
    let names = ["target unreachable: ", "no client ever connected: connect: reset in the upgrade"]
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

  @Test(arguments: [Badness.invalidUTF8, .nonJSON, .hugeFrame, .closesAfterUpgrade, .answers404, .closesAtOnce])
  func everySecondConnectionIsBadAndTheOthersKeepTheirBudgets(badness: Badness) throws {
    let server = try BadServer(badness, every: 2)
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "half.json5", Self.scenario.replacing("clients: 4", with: "clients: 12").replacing("1200ms", with: "1500ms"))
    let (ended, report) = try RealSocketTests.run([
      path, "--url", server.url, "--set", "settle=10s", "--set",
      #"clauses.require=["OB-S8", "OB-S12", "OB-S13"]"#,
    ])
    #expect(ended.code == 0, "\(ended.text)")
    #expect(report.errors.isEmpty == (badness == .closesAfterUpgrade), "\(report.errors)")
    #expect(report.metric("transition")?["count"]?.integer ?? 0 > 10)
    let fleet = try #require(report.summary["fleets"]?[0])
    #expect(fleet["connectedAtEnd"]?.integer == 12)
  }
}
