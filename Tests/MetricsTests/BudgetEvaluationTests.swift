import Core
import Metrics
import Testing

@Suite struct BudgetEvaluationTests {
  private func run(_ body: (inout MetricSet) -> Void = { _ in }) -> MetricSet {
    var metrics = MetricSet(
      timeline: WindowTimeline(
        faults: [
          .init(name: "slow", at: .seconds(20), length: .seconds(10)),
          .init(name: "storm", at: .seconds(40), length: nil),
        ], duration: .seconds(60)), clients: 4)
    body(&metrics)
    return metrics
  }

  private func result(_ text: String, _ metrics: MetricSet) throws -> BudgetResult {
    try Budget.parse(text).get().evaluate(metrics)
  }

  @Test func aPercentileIsComparedWithItsBound() throws {
    let metrics = run {
      for index in 1...100 { $0.record(.transition, .milliseconds(index), intended: .seconds(21)) }
    }
    let held = try result("transition p99 < 100ms during slow", metrics)
    #expect(held.outcome == .hold && held.samples == 100 && held.reason == nil)
    #expect(held.observed == "99.0 ms" && held.unit == .duration)
    #expect(try result("transition p99 < 99ms during slow", metrics).outcome == .fail)
    #expect(try result("transition max <= 100ms", metrics).outcome == .hold)
    #expect(try result("transition max < 100ms", metrics).outcome == .fail)
    #expect(try result("transition min >= 1ms", metrics).outcome == .hold)
    #expect(try result("transition mean = 50500us", metrics).outcome == .hold)
    #expect(try result("transition count = 100", metrics).outcome == .hold)
    #expect(try result("transition rate >= 10/s during slow", metrics).outcome == .hold)
    #expect(try result("transition rate > 10/s during slow", metrics).outcome == .fail)
  }

  @Test func noSamplesAreNeverAPass() throws {
    let metrics = run { $0.record(.transition, .milliseconds(1), intended: .seconds(1)) }
    for text in ["transition p99 < 1h during slow", "offline p95 < 1h", "transition count >= 0 after storm"] {
      let result = try result(text, metrics)
      #expect(result.outcome == .noData && result.reason == "no samples" && result.observed == "no data")
      #expect(result.value == nil && result.samples == 0)
    }
  }

  @Test func nothingLostOfNothingSentProvesNothing() throws {
    let silent = run { $0.clientStarted(ClientID(0), at: .zero) }
    let nothing = try result("calls lost = 0 during steady", silent)
    #expect(nothing.outcome == .noData && nothing.reason == "no calls in this window")
    #expect(try result("propagation lost = 0", silent).reason == "no propagation expected in this window")
    let busy = run { $0.callIntended(at: .seconds(1)) }
    let held = try result("calls lost = 0 during steady", busy)
    #expect(held.outcome == .hold && held.samples == 1 && held.observed == "0")
    #expect(try result("calls lost = 0 during slow", busy).outcome == .noData)
  }

  @Test func countersWithoutChancesOfTheirOwnNeedAClient() throws {
    #expect(try result("reconnects <= 3", run()).outcome == .noData)
    let metrics = run { $0.clientStarted(ClientID(0), at: .zero) }
    #expect(try result("reconnects <= 3", metrics).outcome == .hold)
    #expect(try result("reconnects >= 1 after storm", metrics).outcome == .fail)
    #expect(try result("errors = 0 during slow", metrics).outcome == .hold)
  }

  @Test func lateFailedAndLostCallsAreCountedAndShared() throws {
    let metrics = run { metrics in
      for second in 0..<20 {
        let at = Instant.seconds(Double(second))
        metrics.callIntended(at: at)
        if second < 1 {
          metrics.callLost(intended: at, sent: at, at: .seconds(40))
        } else if second < 3 {
          metrics.callAnswered(intended: at, sent: at, at: at + .seconds(20), ok: false)
        } else {
          metrics.callAnswered(intended: at, sent: at, at: at + .milliseconds(2), ok: true)
        }
      }
    }
    #expect(try result("calls lost <= 1", metrics).outcome == .hold)
    #expect(try result("calls lost = 0", metrics).outcome == .fail)
    #expect(try result("calls late = 2", metrics).outcome == .hold)
    #expect(try result("calls failed share <= 10%", metrics).outcome == .hold)
    let share = try result("calls lost share < 5%", metrics)
    #expect(share.outcome == .fail && share.observed == "5.0 %" && share.samples == 20)
    #expect(try result("calls rate >= 1/s during steady", metrics).outcome == .hold)
  }

  @Test func aLowerBoundDecidesWhatItCanAndNoMore() throws {
    let metrics = run { metrics in
      for _ in 0..<90 { metrics.record(.call, .milliseconds(2), intended: .seconds(1)) }
      for _ in 0..<10 { metrics.recordAtLeast(.call, .nanoseconds(2_000_000_000), intended: .seconds(1)) }
    }
    #expect(try result("call p50 < 10ms", metrics).outcome == .hold)
    let failed = try result("call p99 < 1s", metrics)
    #expect(failed.outcome == .fail && failed.isLowerBound && failed.observed == "> 2.00 s")
    let open = try result("call p99 < 5s", metrics)
    #expect(open.outcome == .undecided && open.reason != nil)
    #expect(try result("call p99 <= 1s", metrics).outcome == .fail)
    #expect(try result("call p99 = 1s", metrics).outcome == .fail)
    #expect(try result("call p99 = 3s", metrics).outcome == .undecided)
    #expect(try result("call p99 != 1s", metrics).outcome == .hold)
    #expect(try result("call p99 > 1s", metrics).outcome == .hold)
    #expect(try result("call p99 >= 1s", metrics).outcome == .hold)
    #expect(try result("call p99 > 5s", metrics).outcome == .undecided)
    #expect(try result("call max < 1s", metrics).outcome == .fail)
    #expect(try result("call max < 5s", metrics).outcome == .undecided)
    #expect(try result("call min < 1s", metrics).outcome == .hold)
    #expect(try result("call mean < 1s", metrics).outcome == .undecided)
  }

  @Test func aFewLostSamplesDoNotUndecideABudgetThatHoldsWithoutThem() throws {
    let metrics = run { metrics in
      for value in 1...1000 { metrics.record(.call, .microseconds(value), intended: .seconds(1)) }
      metrics.recordAtLeast(.call, .microseconds(500), intended: .seconds(1))
      metrics.recordAtLeast(.call, .microseconds(500), intended: .seconds(1))
    }
    #expect(try result("call p95 < 960us", metrics).outcome == .hold)
    #expect(try result("call p95 < 951us", metrics).outcome == .undecided)
    #expect(try result("call p95 < 940us", metrics).outcome == .fail)
    #expect(try result("call p95 > 940us", metrics).outcome == .hold)
    #expect(try result("call p100 < 1s", metrics).outcome == .undecided)
  }

  @Test func countsPerClientAreOverAllThatTookPart() throws {
    let metrics = run { metrics in
      for client in 0..<4 { metrics.clientStarted(ClientID(UInt32(client)), at: .zero) }
      for _ in 0..<3 { metrics.reconnected(ClientID(2), attempts: 2, drop: .seconds(40)) }
    }
    let result = try result("reconnects per client max <= 3", metrics)
    #expect(result.outcome == .hold && result.observed == "3" && result.samples == 4)
    #expect(try self.result("reconnects per client p50 = 0", metrics).outcome == .hold)
    #expect(try self.result("attempts per reconnect max = 2", metrics).outcome == .hold)
    #expect(try self.result("attempts max = 2", metrics).outcome == .hold)
    #expect(try self.result("reconnects per client max <= 3", run()).outcome == .noData)
  }

  @Test func backoffIsJudgedPerAttempt() throws {
    let metrics = run { metrics in
      metrics.record(.backoffObserved, attempt: 1, .milliseconds(500), intended: .seconds(41))
      metrics.record(.backoffObserved, attempt: 3, .seconds(4), intended: .seconds(45))
    }
    #expect(try result("backoff attempt 3 p99 <= 4s", metrics).outcome == .hold)
    #expect(try result("backoff attempt 3 p99 < 1s", metrics).outcome == .fail)
    #expect(try result("backoff attempt 1 max <= 500ms", metrics).outcome == .hold)
    #expect(try result("backoff attempt 2 max <= 1s", metrics).outcome == .noData)
    #expect(try result("backoff max = 4s", metrics).samples == 2)
  }

  @Test func herdsAreJudgedFromTheirDrop() throws {
    let metrics = run { metrics in
      for client in 0..<10 {
        metrics.reattempted(
          ClientID(UInt32(client % 4)), attempt: 1, drop: .seconds(40), at: .seconds(40.5 + Double(client / 5)))
      }
    }
    #expect(try result("herd share <= 50% after storm", metrics).outcome == .hold)
    #expect(try result("herd share attempt 1 < 50%", metrics).outcome == .fail)
    #expect(try result("herd share attempt 2 < 50%", metrics).outcome == .noData)
    #expect(try result("dispersion > 1", metrics).outcome == .hold)
    #expect(try result("dispersion < 3 steady", metrics).reason == "no attempt followed a drop")
  }

  @Test func windowsTheRunNeverReachedHaveNoData() throws {
    var metrics = run { $0.clientStarted(ClientID(0), at: .zero) }
    metrics.timeline.finish(at: .seconds(30))
    #expect(try result("errors = 0 after storm", metrics).reason == "the run had no time in \"after storm\"")
    #expect(try result("errors = 0 during unknown", metrics).outcome == .noData)
    #expect(try result("errors = 0 during slow", metrics).outcome == .hold)
  }

  @Test func whatIsNotAvailableYetHasNoData() throws {
    #expect(try result("join p99 < 1s", run()).outcome == .noData)
    #expect(try result("offline p95 < baseline * 2", run()).reason?.contains("not available yet") == true)
  }

  @Test func outcomesDecideTheExitCode() throws {
    let metrics = run { $0.record(.offline, .seconds(2), intended: .seconds(40)) }
    #expect(try result("offline p99 < 3s", metrics).exitReason == nil)
    let failed = try #require(try result("offline p99 < 1ms", metrics).exitReason)
    #expect(failed == ExitReason(.failed, "budget \"offline p99 < 1ms\" failed: 2.00 s"))
    let empty = try #require(try result("offline p99 < 1ms steady", metrics).exitReason)
    #expect(empty == ExitReason(.noVerdict, "budget \"offline p99 < 1ms steady\" has no data (no samples)"))
    #expect(ExitDecision.decide([empty, failed]).code == .failed)
  }

  @Test func valuesArePrintedForPeople() {
    #expect(BudgetUnit.number.text(1_234_567) == "1,234,567")
    #expect(BudgetUnit.number.text(2.5) == "2.50")
    #expect(BudgetUnit.number.text(0) == "0")
    #expect(BudgetUnit.rate.text(12.5) == "12.50/s")
    #expect(BudgetUnit.share.text(0.031) == "3.1 %")
    #expect(BudgetUnit.bytes.text(512) == "512 B")
    #expect(BudgetUnit.bytes.text(65_536) == "64.0 KiB")
    #expect(BudgetUnit.byteRate.text(1_572_864) == "1.5 MiB/s")
    #expect(BudgetUnit.duration.text(612e6) == "612 ms")
    #expect(BudgetUnit.duration.text(1e300) != "")
  }
}
