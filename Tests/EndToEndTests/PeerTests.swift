import JSON
import Testing

@testable import obload

/// Runs against a onebase server that shares no code with ours: Python, on the package `websockets`.
@Suite struct PeerTests {
  private let scenario = """
    { name: "peer", seed: 3, duration: "3s", settle: "10s",
      target: { protocol: "onebase", url: "ws://127.0.0.1:1/api/sync", token: { env: "OB_TOKEN" } },
      fleets: [
        { name: "readers", clients: 8, ramp: "300ms",
          subscribe: [{ path: "notes:list", args: { room: "{client % 2}" }, audit: { path: "notes:scan", paged: true } }] },
        { name: "writers", clients: 4, ramp: "300ms",
          subscribe: [{ path: "notes:list", args: { room: "{client % 2}" } }],
          calls: [{ kind: "mutation", path: "notes:add", args: { room: "{client % 2}", text: "{marker}" },
                    rate: "4/s", arrivals: "poisson" }] },
      ],
      faults: [{ at: "1200ms", fault: "reset", clients: "50%", name: "cut" }],
      clauses: { require: ["OB-C1", "OB-C2", "OB-C7", "OB-C8", "OB-S3", "OB-S4", "OB-S7", "OB-S8", "OB-S12", "OB-S13"] },
      budgets: ["transition p99 < 5s", "offline p95 < 10s", "reconnects per client max <= 1"],
    }
    """

  @Test func theSameScenarioHoldsThere() throws {
    let python = try Repository.python()
    let server = try Program(python, ["Tests/peers/onebase_server.py", "--port", "0", "--seconds", "60"])
    let isUp = server.wait { $0.output.contains("\n") }
    #expect(isUp, "\(server.errors)")
    let port = try #require(Int(server.output.prefix { $0.isNumber }))
    let folder = try TemporaryFolder()
    let (ended, report) = try RealSocketTests.run(
      [try folder.write("peer.json5", scenario), "--url", "ws://127.0.0.1:\(port)/api/sync"],
      environment: ["OB_TOKEN": "ok-alice"])
    #expect(ended.code == 0, "\(ended.text)")
    for id in ["OB-S8", "OB-S12", "OB-S13", "OB-C8"] {
      #expect(report.clause(id)?["verdict"]?.string == "pass")
      #expect(report.clause(id)?["opportunities"]?.integer ?? 0 > 0)
    }
    #expect(report.counter("reconnects") > 0)
    #expect(report.events.contains { $0["phase"]?.string == "audited" })
  }
}
