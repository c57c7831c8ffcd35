import Core
import JSON
import Testing

@testable import obload

/// Whole runs of the built program over TCP, with its embedded server.
@Suite struct RealSocketTests {
  /// Runs until the machine was idle enough for the generator: three times at most.
  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (Program.Ended, Report) {
    for attempt in 1... {
      let folder = try TemporaryFolder()
      let ended = try Program.obload(["run"] + arguments + ["--out", folder.path], environment: environment)
      let report = try Report(folder.path)
      #expect(report.exit == Int64(ended.code))
      if attempt == 3 || report.summary["generator"]?["valid"]?.bool == true { return (ended, report) }
    }
    throw UsageError("unreachable")
  }

  @Test func theQuickstartInBriefPassesAndMeasuresItsReconnects() throws {
    let (ended, report) = try Self.run([
      Repository.scenario("quickstart"), "--clients", "24", "--duration", "2500ms",
      "--set", "fleets[readers].ramp=200ms", "--set", "fleets[writers].ramp=200ms",
      "--set", "faults[slow].at=500ms", "--set", "faults[slow].for=600ms", "--set", "faults[cut].at=1300ms",
      // What a debug build on a busy machine can keep; the shipped budgets are kept in virtual time.
      "--set", #"budgets=["transition p99 < 5s", "offline p95 < 10s", "reconnects per client max <= 1"]"#,
    ])
    #expect(ended.code == 0, "\(ended.text)")
    let cut = try #require(report.summary["faults"]?.array?.last)
    let dropped = try #require(cut["clients"]?.integer)
    #expect(dropped > 0)
    #expect(cut["applications"]?.integer == dropped)
    // A reset reaches both sides: each one it hit noticed, and came back.
    #expect(report.counter("drops") == dropped)
    #expect(report.counter("reconnects") == dropped)
    #expect(report.metric("offline")?["count"]?.integer == dropped)
    #expect(report.metric("offline")?["min"]?.double ?? 0 >= 0.25)
    #expect(report.metric("transition", "during slow")?["p50"]?.double ?? 0 >= 0.06)
    #expect(report.counter("propagation seen") == report.counter("propagation expected"))
    #expect(report.events.contains { $0["kind"]?.string == "fault" && $0["name"]?.string == "cut" })
    #expect(report.junit.cases.count >= 3)
    #expect(report.junit.cases.allSatisfy { $0.problem == nil || $0.problem == "skipped" })
  }

  @Test func severalLoopsMakeOneReport() throws {
    let (ended, report) = try Self.run([
      Repository.scenario("quickstart"), "--clients", "20", "--duration", "1500ms", "--loops", "3",
      "--set", "fleets[readers].ramp=200ms", "--set", "fleets[writers].ramp=200ms", "--set", "faults=[]",
      "--set", #"budgets=["transition p99 < 5s", "reconnects = 0"]"#,
      // Nobody is dropped here.
      "--set", #"clauses.require=["OB-C1", "OB-C2", "OB-S3", "OB-S4", "OB-S7", "OB-S8", "OB-S12", "OB-S13"]"#,
    ])
    #expect(ended.code == 0, "\(ended.text)")
    let shards = report.summary["shards"]?.array ?? []
    #expect(shards.count == 3)
    #expect(shards.reduce(0) { $0 + ($1["clients"]?.integer ?? 0) } == 20)
    #expect(report.counter("propagation expected") > 0)
    #expect(report.counter("propagation seen") == report.counter("propagation expected"))
  }

  @Test func theEchoProtocolRunsThroughTheSameProxy() throws {
    let folder = try TemporaryFolder()
    let scenario = try folder.write(
      "echo.json5",
      """
      { name: "echo", duration: "1s", target: { protocol: "echo", embedded: {} },
        fleets: [{ name: "a", clients: 4, calls: [{ start: "200ms", rate: "20/s", arrivals: "constant" }] }],
        budgets: ["call p99 < 5s", "calls lost = 0"] }
      """)
    let (ended, report) = try Self.run([scenario])
    #expect(ended.code == 0, "\(ended.text)")
    #expect((62...68).contains(report.counter("calls answered")))
  }

  @Test func aServerOfItsOwnServesARun() throws {
    let server = try Program(try Repository.program(), ["serve", "onebase", "--listen", "127.0.0.1:0"])
    let isUp = server.wait { $0.output.contains("until interrupted") }
    #expect(isUp, "\(server.output)\(server.errors)")
    let url = try #require(server.output.split(separator: " ").first { $0.hasPrefix("ws://") })
    let (ended, report) = try Self.run([
      Repository.scenario("quickstart"), "--url", String(url), "--clients", "12", "--duration", "1500ms",
      "--set", "fleets[readers].ramp=200ms", "--set", "fleets[writers].ramp=200ms", "--set", "faults=[]",
      "--set", #"budgets=["transition p99 < 5s"]"#, "--set", #"clauses.require=["OB-S8", "OB-S12", "OB-S13"]"#,
    ])
    #expect(ended.code == 0, "\(ended.text)")
    #expect(report.summary["target"]?.string == String(url))
    server.send(2)
    #expect(server.end(within: .seconds(5)).code == 0)
  }
}
