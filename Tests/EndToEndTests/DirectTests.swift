import Core
import Metrics
import Reporting
import Testing

@testable import obload

/// Runs whose clients dial the target themselves.
struct DirectTests {
  private let text = """
    { name: "direct", duration: "2s", target: { protocol: "echo", embedded: {} },
      fleets: [{ name: "a", clients: 2, calls: [{ loop: { think: "0s" }, start: "1s", size: "100B" }] }] }
    """

  @Test func measuresAsAlwaysAndSendsNothingThroughAProxy() throws {
    let scenario = try InProcess.scenario(text: text)
    let direct = try InProcess.run(scenario, isDirect: true)
    let usual = try InProcess.run(scenario)
    #expect(direct.exit == .passed)
    #expect(direct.record.shards.map(\.accepted) == [0] && usual.record.shards.map(\.accepted) == [2])
    #expect(direct.record.fleets[0].connectedAtEnd == 2)
    // 50 µs each way, once or twice: a loop without think time turns 10,000 times a second, or half as often; the first
    // call is made at 1 s and the last at 2 s.
    #expect(direct.record.metrics.total(.callsAnswered) == 2 * 10_001)
    #expect(usual.record.metrics.total(.callsAnswered) == 2 * 5_001)
  }
}
