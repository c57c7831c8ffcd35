import Core
import Testing

@testable import Metrics

@Suite struct WindowTimelineTests {
  /// Latency from 20 to 30 s, a reset at 40 s, in a run of two minutes.
  private func timeline() -> WindowTimeline {
    WindowTimeline(
      faults: [
        .init(name: "slow", at: .seconds(20), length: .seconds(10)),
        .init(name: "drop", at: .seconds(40), length: nil),
      ], duration: .seconds(120))
  }

  private func names(_ timeline: WindowTimeline, _ seconds: Double) -> [String] {
    timeline.windows(at: .seconds(seconds)).windows.map(timeline.name(of:))
  }

  @Test func steadyIsWhileNoFaultIsOn() {
    let timeline = timeline()
    #expect(names(timeline, 0) == ["whole", "steady"])
    #expect(names(timeline, 19.999) == ["whole", "steady"])
    #expect(names(timeline, 20) == ["whole", "during slow"])
    #expect(names(timeline, 29.999) == ["whole", "during slow"])
    #expect(names(timeline, 30) == ["whole", "after slow"])
  }

  @Test func withoutRecoveryAfterLastsAMinute() {
    let timeline = timeline()
    #expect(names(timeline, 39) == ["whole", "after slow"])
    #expect(names(timeline, 40) == ["whole", "after slow", "after drop"])
    #expect(names(timeline, 89.999) == ["whole", "after slow", "after drop"])
    #expect(names(timeline, 90) == ["whole", "after drop"])
    #expect(names(timeline, 99.999) == ["whole", "after drop"])
    #expect(names(timeline, 100) == ["whole", "steady"])
  }

  @Test func afterEndsWhenEverythingIsLiveAgain() {
    var timeline = timeline()
    timeline.markLive(at: .seconds(2))
    timeline.markNotLive(at: .seconds(40.001))
    timeline.markLive(at: .seconds(45))
    // Nobody was dropped by the latency, so its window lasts the one second.
    #expect(names(timeline, 31) == ["whole", "after slow"])
    #expect(names(timeline, 31.001) == ["whole", "steady"])
    #expect(names(timeline, 40) == ["whole", "after drop"])
    #expect(names(timeline, 45) == ["whole", "after drop"])
    #expect(names(timeline, 45.001) == ["whole", "steady"])
  }

  @Test func aDropThatIsNoticedWithinTheFirstSecondKeepsTheWindowOpen() {
    var timeline = timeline()
    timeline.markLive(at: .seconds(2))
    timeline.markNotLive(at: .seconds(40.9))
    #expect(names(timeline, 50) == ["whole", "after drop"])
    timeline.markLive(at: .seconds(55))
    #expect(names(timeline, 56) == ["whole", "steady"])
  }

  @Test func losingItAgainLaterDoesNotOpenTheWindowAgain() {
    var timeline = timeline()
    timeline.markNotLive(at: .seconds(40.001))
    timeline.markLive(at: .seconds(45))
    timeline.markNotLive(at: .seconds(50))
    timeline.markLive(at: .seconds(60))
    #expect(names(timeline, 46) == ["whole", "steady"])
    #expect(names(timeline, 55) == ["whole", "steady"])
  }

  @Test func whatWasPutInAWindowIsNeverOutOfItLater() {
    var timeline = timeline()
    timeline.markNotLive(at: .seconds(40.001))
    let before = timeline.windows(at: .seconds(45))
    timeline.markLive(at: .seconds(45))
    #expect(timeline.windows(at: .seconds(45)) == before)
    timeline.markNotLive(at: .seconds(45))
    #expect(timeline.windows(at: .seconds(45)) == before)
  }

  @Test func spansTellHowLongAWindowWasOpen() {
    var timeline = timeline()
    timeline.markLive(at: .seconds(2))
    timeline.markNotLive(at: .seconds(40))
    timeline.markLive(at: .seconds(44))
    timeline.finish(at: .seconds(60))
    func length(_ name: String) -> Double {
      timeline.window(named: name).map { timeline.length(of: $0).inSeconds.rounded() } ?? -1
    }
    #expect(length("whole") == 60)
    #expect(length("during slow") == 10)
    #expect(length("after slow") == 1)
    #expect(length("after drop") == 4)
    #expect(length("steady") == 60 - 10 - 1 - 4)
    #expect(timeline.window(named: "during drop") == nil)
  }

  @Test func aRunThatEndsEarlyNeverOpensLaterWindows() {
    var timeline = timeline()
    timeline.finish(at: .seconds(25))
    #expect(timeline.spans(of: .during(0)) == [.seconds(20)..<Instant.seconds(25)])
    #expect(timeline.spans(of: .after(0)).isEmpty)
    #expect(timeline.spans(of: .after(1)).isEmpty)
  }

  @Test func settlingIsNotPartOfTheWholeRunsLength() {
    var timeline = timeline()
    timeline.finish(at: .seconds(125))
    #expect(timeline.length(of: .whole) == .seconds(120))
    #expect(timeline.length(of: .after(1)) == .seconds(60))
  }

  @Test func overlappingFaultsShareTheirTime() {
    let timeline = WindowTimeline(
      faults: [
        .init(name: "a", at: .seconds(10), length: .seconds(10)),
        .init(name: "b", at: .seconds(15), length: .seconds(10)),
      ], duration: .seconds(200))
    #expect(names(timeline, 17) == ["whole", "during a", "during b"])
    #expect(names(timeline, 22) == ["whole", "after a", "during b"])
    #expect(timeline.length(of: .steady) == .seconds(10) + .seconds(200 - 85))
  }

  @Test func mergingTakesTheLaterClosing() throws {
    var loops: [WindowTimeline] = []
    for back in [43.0, 47, 45] {
      var loop = timeline()
      loop.markLive(at: .seconds(2))
      loop.markNotLive(at: .seconds(40))
      loop.markLive(at: .seconds(back))
      loop.finish(at: .seconds(120))
      loops.append(loop)
    }
    var left = loops[0]
    try left.merge(loops[1])
    try left.merge(loops[2])
    var right = loops[2]
    try right.merge(loops[1])
    try right.merge(loops[0])
    #expect(left == right)
    #expect(names(left, 46.9) == ["whole", "after drop"])
    #expect(names(left, 47.1) == ["whole", "steady"])
  }

  @Test func storedClosingsThatCannotBeAreRefused() {
    let faults = timeline().faults
    func restored(_ closings: [Instant]) -> WindowTimeline? {
      WindowTimeline(faults: faults, duration: .seconds(120), closings: closings, finished: .seconds(120))
    }
    #expect(restored([.seconds(31), .seconds(45)]) != nil)
    #expect(restored([.seconds(31)]) == nil)
    #expect(restored([.seconds(29), .seconds(45)]) == nil)
    #expect(restored([.seconds(31), .seconds(101)]) == nil)
  }

  @Test func windowsAreTheSameAllOverASegment() {
    var timeline = timeline()
    timeline.markLive(at: .seconds(2))
    timeline.markNotLive(at: .seconds(40))
    timeline.markLive(at: .seconds(44))
    for tenth in -10..<1300 {
      let (windows, span) = timeline.segment(at: .milliseconds(Double(tenth) * 100))
      let last = span.upperBound - .nanoseconds(1)
      for time in [span.lowerBound, .milliseconds(Double(tenth) * 100), last] {
        #expect(timeline.windows(at: time) == windows)
      }
    }
  }

  @Test func anotherScenariosTimelineIsNotMerged() {
    var one = timeline()
    let other = WindowTimeline(faults: [], duration: .seconds(120))
    #expect(throws: MetricMergeError.otherTimeline) { try one.merge(other) }
  }

  @Test func whatComesAfterTheDurationIsNotSteady() {
    #expect(names(WindowTimeline(faults: [], duration: .seconds(10)), 10) == ["whole"])
  }

  @Test func asManyFaultsAsThereAreBitsHaveWindows() {
    let faults = (0..<70).map { WindowTimeline.Fault(name: "f\($0)", at: .seconds(1), length: .seconds(1)) }
    let timeline = WindowTimeline(faults: faults, duration: .seconds(10))
    #expect(timeline.faults.count == WindowTimeline.mostFaults)
    #expect(timeline.windows(at: .seconds(1)).contains(.during(62)))
    #expect(timeline.windows(at: .seconds(2)).contains(.after(62)))
  }
}
