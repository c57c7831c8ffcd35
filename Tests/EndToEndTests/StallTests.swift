import ClientSim
import Core
import Metrics
import Reporting
import Testing

@testable import obload

/// A server that stands still for two seconds: the calls that should have been made meanwhile count, with all the time
/// they waited from when they were meant to be made.
@Suite struct StallTests {
  static let freeze = Duration.seconds(10)
  static let stall = Duration.seconds(2)
  /// A millisecond, in the steps of a histogram between 1 and 2 s: 2^20 ns.
  static let step: Int64 = 1 << 20
  /// Client to proxy, proxy to server.
  static let oneWay = LoopPlan.memoryLatency * 2

  private func scenario(calls: String) throws -> Scenario {
    try InProcess.scenario(
      text: """
        { name: "stall", seed: 5, duration: "21s",
          target: { protocol: "onebase", embedded: { freezeAt: "10s", freezeFor: "2s" } },
          fleets: [{ name: "callers", clients: 10,
            calls: [{ kind: "query", path: "counter:get", args: {}, start: "1s", \(calls) }] }] }
        """)
  }

  /// What each call's latency has to be, from the schedule alone.
  private func truth(_ scenario: Scenario) throws -> [Duration] {
    let plan = try #require(scenario.fleets.first)
    let thaw = Instant.zero + Self.freeze + Self.stall
    return (UInt32(0)..<10).flatMap { client -> [Duration] in
      var workload = FleetWorkload(
        SessionContext(client: ClientID(client), plan: plan, seed: scenario.seed, runTag: 1), start: .zero)
      var commands: [SessionCommand] = []
      workload.takeDue(at: .zero + scenario.duration, into: &commands)
      return commands.compactMap { command in
        guard case .call(let request) = command else { return nil }
        let arrives = request.intended + Self.oneWay
        let isStalled = arrives >= .zero + Self.freeze && arrives < thaw
        return isStalled ? thaw + Self.oneWay - request.intended : Self.oneWay * 2
      }
    }.sorted()
  }

  @Test(arguments: [#"rate: "10/s", arrivals: "constant""#, #"rate: "10/s", arrivals: "poisson""#])
  func openArrivalsSayTheTruthToTheMillisecond(calls: String) throws {
    let scenario = try scenario(calls: calls)
    let truth = try truth(scenario)
    let report = try InProcess.run(scenario)
    let metrics = report.record.metrics
    let call = metrics.histogram(.call)
    #expect(call.count == UInt64(truth.count))
    for p in [50.0, 90, 95, 99, 99.9] {
      let rank = max(1, (Int(p * 10) * truth.count + 999) / 1000)
      let difference = try #require(call.percentile(p)).value - truth[rank - 1]
      #expect(abs(difference.nanoseconds) <= Self.step, "p\(p) is \(difference) off")
    }
    let difference = try #require(call.max) - truth[truth.count - 1]
    #expect(abs(difference.nanoseconds) <= Self.step)
    if calls.contains("constant") {
      #expect(truth.count == 2000)
      #expect(abs((truth[1979] - .milliseconds(1800)).nanoseconds) < 30_000_000)
      #expect(abs((truth[1999] - .milliseconds(2000)).nanoseconds) < 20_000_000)
    }
    // The client sent each at its time, so that service time sees the stall too.
    #expect(metrics.histogram(.callService).count == call.count)
    let book = metrics.calls()
    #expect(book.isBalanced)
    #expect(book.intended == UInt64(truth.count))
    #expect(book.answered == book.intended)
  }

  @Test func aClosedLoopSeesOneLongCallPerClient() throws {
    let report = try InProcess.run(try scenario(calls: #"loop: { think: "100ms" }"#))
    let call = report.record.metrics.histogram(.call)
    #expect(call.buckets.reduce(0) { $0 + ($1.lowest > .seconds(1) ? $1.count : 0) } == 10)
  }

  /// Frozen to the end of the run, and of its settling: what was still out counts with the time it has waited.
  @Test func whatIsStillOutCountsWithTheTimeItWaited() throws {
    let scenario = try InProcess.scenario(
      text: """
        { name: "out", duration: "4s", settle: "1s",
          target: { protocol: "onebase", embedded: { freezeAt: "2s", freezeFor: "1m" } },
          fleets: [{ name: "callers", clients: 10,
            calls: [{ kind: "query", path: "counter:get", args: {}, start: "1s", rate: "10/s", arrivals: "constant" }] }],
          budgets: ["call p99 < 1s", "call p50 < 100s"] }
        """)
    let report = try InProcess.run(scenario)
    let book = report.record.metrics.calls()
    #expect(book.isBalanced)
    #expect(book.intended == 300)
    #expect(book.out + book.lost == 200)
    // It has waited for more than a second already; nobody knows whether it would have come within a hundred.
    #expect(report.budgets.map(\.outcome) == [.fail, .undecided])
    #expect(report.exit == .failed)
    #expect(report.reasons.contains { $0.text.contains("not settled") })
  }
}
