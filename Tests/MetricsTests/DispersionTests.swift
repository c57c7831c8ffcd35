import Core
import Metrics
import Testing

@Suite struct DispersionTests {
  @Test func aHerdComesInOneWindow() {
    var herd = Dispersion()
    for _ in 0..<405 { herd.record(sinceDrop: .milliseconds(520)) }
    for late in 0..<95 { herd.record(sinceDrop: .milliseconds(600 + late * 10)) }
    #expect(herd.busiest?.from == .milliseconds(500))
    #expect(herd.busiest?.attempts == 405)
    #expect(herd.busiestShare == 0.81)
  }

  @Test func evenAttemptsHaveNoDispersionAndAHerdHasAsManyAsItIs() throws {
    var even = Dispersion()
    for window in 0..<50 { for _ in 0..<10 { even.record(sinceDrop: .milliseconds(window * 100 + 7)) } }
    #expect(even.index == 0)
    // 100 attempts in one of 50 windows: mean 2, variance 100² / 50 − 2² = 196.
    var herd = Dispersion()
    for _ in 0..<100 { herd.record(sinceDrop: .milliseconds(4950)) }
    #expect(herd.index == 98)
  }

  @Test func independentAttemptsHaveAnIndexNearOne() throws {
    var random = SeededRandom(seed: 3, purpose: .test)
    var poisson = Dispersion()
    for _ in 0..<3000 { poisson.record(sinceDrop: .fractionalSeconds(random.unit() * 30)) }
    #expect((0.75...1.25).contains(try #require(poisson.index)))
  }

  @Test func edgesFallIntoTheirWindow() {
    var dispersion = Dispersion()
    dispersion.record(sinceDrop: .nanoseconds(-1))
    dispersion.record(sinceDrop: .milliseconds(100) - .nanoseconds(1))
    dispersion.record(sinceDrop: .milliseconds(100))
    dispersion.record(sinceDrop: .seconds(60) - .nanoseconds(1))
    dispersion.record(sinceDrop: .seconds(60))
    #expect(dispersion.attempts.prefix(2) == [2, 1])
    #expect(dispersion.attempts.count == Dispersion.mostWindows)
    #expect(dispersion.beyond == 1 && dispersion.total == 5)
  }

  @Test func nothingHasNoIndex() {
    #expect(Dispersion().index == nil && Dispersion().busiestShare == nil)
  }

  @Test func mergingEqualsRecordingAllInOne() {
    var all = Dispersion()
    var parts = [Dispersion(), Dispersion(), Dispersion()]
    for attempt in 0..<300 {
      let since = Duration.milliseconds(attempt * attempt)
      all.record(sinceDrop: since)
      parts[attempt % 3].record(sinceDrop: since)
    }
    var left = parts[0]
    left.merge(parts[1])
    left.merge(parts[2])
    var right = parts[2]
    right.merge(parts[0])
    right.merge(parts[1])
    #expect(left == all && right == all)
    #expect(Dispersion(attempts: all.attempts, beyond: all.beyond) == all)
  }
}
