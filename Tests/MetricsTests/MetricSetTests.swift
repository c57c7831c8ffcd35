import Core
import Testing

@testable import Metrics

@Suite struct MetricSetTests {
  private func empty() -> MetricSet {
    MetricSet(
      timeline: WindowTimeline(
        faults: [
          .init(name: "slow", at: .seconds(20), length: .seconds(10)),
          .init(name: "drop", at: .seconds(40), length: nil),
        ], duration: .seconds(60)), clients: 10)
  }

  @Test func slotsNamesAndStaticsAgree() {
    let metrics: [Metric] = [
      .connect, .auth, .subscribe, .call, .callService, .transition, .propagation, .propagationLast, .heartbeat,
      .detection, .offline, .attempts, .backoffScheduled, .backoffObserved, .loopLag,
    ]
    #expect(Metric.all == metrics)
    #expect(Metric.propagationLast.name == "propagation.last")
    #expect(Metric(named: "offline") == .offline && Metric(named: "online") == nil)
    let counters: [Counter] = [
      .calls, .callsSent, .callsAnswered, .callsLate, .callsLost, .callsOut, .callsFailed, .subscriptions, .messagesIn,
      .messagesOut, .bytesIn, .bytesOut, .drops, .reconnects, .attempts, .refusals, .errors, .propagationExpected,
      .propagationSeen, .propagationLost, .clients,
    ]
    #expect(Counter.all == counters)
    #expect(Counter.callsLost.name == "calls lost" && Counter.propagationLost.name == "propagation lost")
    let slots = Metric.all.flatMap(Series.all(of:)).map(\.slot).sorted()
    #expect(Set(slots).count == slots.count && slots.allSatisfy((0..<Series.count).contains))
  }

  @Test func samplesLieInTheWindowsOfTheirIntendedSend() {
    var metrics = empty()
    metrics.record(.call, .milliseconds(5), intended: .seconds(19))
    // Meant during the fault, answered long after it.
    metrics.record(.call, .seconds(25), intended: .seconds(29))
    #expect(metrics.histogram(.call).count == 2)
    #expect(metrics.histogram(.call, in: .steady).count == 1)
    #expect(metrics.histogram(.call, in: .during(0)).max == .seconds(25))
    #expect(metrics.histogram(.call, in: .after(0)).isEmpty)
    #expect(metrics.histogram(.call, in: .during(40)).isEmpty)
  }

  @Test func whatIsMarkedShowsInTheNextSample() {
    var metrics = empty()
    metrics.count(.drops, at: .seconds(42))
    metrics.timeline.markLive(at: .seconds(42))
    metrics.count(.drops, at: .seconds(42))
    metrics.count(.drops, at: .seconds(42.5))
    #expect(metrics.total(.drops, in: .after(1)) == 2)
    #expect(metrics.total(.drops, in: .steady) == 1)
  }

  @Test func attemptNumbersAreKeptApartAndReadTogether() {
    var metrics = empty()
    metrics.record(.backoffObserved, attempt: 1, .milliseconds(500), intended: .seconds(41))
    metrics.record(.backoffObserved, attempt: 2, .seconds(1), intended: .seconds(42))
    for attempt in [32, 33, 1000] { metrics.record(.backoffObserved, attempt: attempt, .seconds(60), intended: .zero) }
    metrics.record(.backoffObserved, attempt: 0, .milliseconds(400), intended: .zero)
    #expect(metrics.histogram(.backoffObserved, attempt: 1).count == 2)
    #expect(metrics.histogram(.backoffObserved, attempt: 2).max == .seconds(1))
    #expect(metrics.histogram(.backoffObserved, attempt: 32).count == 3)
    #expect(metrics.histogram(.backoffObserved).count == 6)
    #expect(metrics.histogram(.backoffScheduled).isEmpty)
    #expect(metrics.series().map(\.description) == [1, 2, 32].map { "backoff.observed attempt \($0)" })
  }

  @Test func everyIntendedCallIsAccountedFor() {
    var metrics = empty()
    for second in 0..<50 { metrics.callIntended(at: .seconds(Double(second))) }
    for second in 0..<50 {
      let intended = Instant.seconds(Double(second))
      switch second % 5 {
      case 0, 1: metrics.callAnswered(intended: intended, sent: intended, at: intended + .milliseconds(3), ok: true)
      case 2: metrics.callAnswered(intended: intended, sent: intended, at: intended + .seconds(11), ok: false)
      case 3: metrics.callLost(intended: intended, sent: intended + .seconds(1), at: intended + .seconds(4))
      default: metrics.callOut(intended: intended, sent: nil, at: .seconds(60))
      }
    }
    let book = metrics.calls()
    #expect(book == CallBook(intended: 50, answered: 20, late: 10, lost: 10, out: 10, failed: 10))
    for window in metrics.timeline.windows { #expect(metrics.calls(in: window).isBalanced) }
    #expect(metrics.histogram(.call).count == 50)
    #expect(metrics.histogram(.call).censoredCount == 20)
    // Those that were never sent have no service time.
    #expect(metrics.histogram(.callService).count == 40)
    metrics.callIntended(at: .seconds(1))
    #expect(!metrics.calls().isBalanced)
  }

  @Test func anAnswerAtTheDeadlineIsInTime() {
    var metrics = empty()
    metrics.callAnswered(intended: .zero, sent: .zero, at: .seconds(2), ok: true, deadline: .seconds(2))
    metrics.callAnswered(
      intended: .zero, sent: .zero, at: .seconds(2) + .nanoseconds(1), ok: true, deadline: .seconds(2))
    #expect(metrics.total(.callsAnswered) == 1 && metrics.total(.callsLate) == 1)
  }

  @Test func clientEventsReachEveryFigure() {
    var metrics = empty()
    for client in 0..<3 { metrics.clientStarted(ClientID(UInt32(client)), at: .zero) }
    metrics.dropped(at: .seconds(40))
    for attempt in 1...2 {
      metrics.reattempted(ClientID(1), attempt: attempt, drop: .seconds(40), at: .seconds(40 + Double(attempt)))
    }
    metrics.reconnected(ClientID(1), attempts: 2, drop: .seconds(40))
    #expect(metrics.reconnectsPerClient[1] == 1 && metrics.reconnectsPerClient[0] == 0)
    #expect(metrics.reconnectsPerClient[5] == nil)
    #expect(metrics.reconnectsPerClient.distribution.count == 3)
    #expect(metrics.attemptsPerClient[1] == 2)
    #expect(metrics.total(.reconnects, in: .after(1)) == 1)
    #expect(metrics.histogram(.attempts, in: .after(1)).max == .nanoseconds(2))
    #expect(metrics.dispersion(attempt: 1, in: .after(1)).total == 1)
    #expect(metrics.dispersion(in: .after(1)).total == 2)
    #expect(metrics.dispersion(in: .steady).total == 0)
  }

  @Test func clientsBeyondTheRunAreIgnored() {
    var counts = ClientCounts(clients: 2)
    counts.start(2)
    counts.count(.max)
    #expect(counts.started == 0)
    counts.count(1, by: .max)
    counts.count(1, by: .max)
    #expect(counts[1] == UInt32.max - 1)
  }

  @Test func inventedErrorsFillOtherNotTheMemory() {
    var errors = ErrorCounts()
    for index in 0..<1000 { errors.count("error \(index)") }
    errors.count("error 0")
    errors.count(String(repeating: "x", count: 100_000))
    #expect(errors.entries.count == ErrorCounts.mostNames + 1)
    #expect(errors.total == 1002)
    #expect(errors.entries.first { $0.name == "error 0" }?.count == 2)
    #expect(errors.entries.first { $0.name == "other" }?.count == UInt64(1000 - ErrorCounts.mostNames + 1))
    #expect(errors.entries.map(\.name) == errors.entries.map(\.name).sorted())
    #expect(errors.entries.allSatisfy { $0.name.utf8.count <= ErrorCounts.longestName })
  }

  /// One of three loops' figures, different for each.
  private func loop(_ number: Int, of whole: inout MetricSet) -> MetricSet {
    var metrics = empty()
    var random = SeededRandom(seed: 5, purpose: .test, subject: UInt64(number))
    func both(_ body: (inout MetricSet) -> Void) {
      body(&metrics)
      body(&whole)
    }
    both { $0.clientStarted(ClientID(UInt32(number)), at: .zero) }
    for _ in 0..<60 {
      let at = Instant.seconds(random.unit() * 60)
      let took = Duration.fractionalSeconds(random.exponential(mean: 0.01))
      let attempt = Int(random.integer(in: 1...40))
      both {
        $0.callIntended(at: at)
        $0.callAnswered(intended: at, sent: at, at: at + took, ok: true)
        $0.record(.backoffScheduled, attempt: attempt, took, intended: at)
        $0.recordAtLeast(.propagation, took, intended: at)
        $0.countError("error \(attempt)", at: at)
        $0.recordDispersion(attempt: attempt, sinceDrop: took, drop: at)
        $0.reconnected(ClientID(UInt32(number)), attempts: attempt, drop: at)
      }
    }
    metrics.timeline.finish(at: .seconds(60))
    return metrics
  }

  @Test func threeLoopsMergeToTheSameInAllOrders() throws {
    var whole = empty()
    let loops = (0..<3).map { loop($0, of: &whole) }
    whole.timeline.finish(at: .seconds(60))
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var left = loops[order[0]]
      try left.merge(loops[order[1]])
      try left.merge(loops[order[2]])
      #expect(left == whole)
      var inner = loops[order[1]]
      try inner.merge(loops[order[2]])
      var right = loops[order[0]]
      try right.merge(inner)
      #expect(right == whole)
    }
  }

  @Test func anotherScenariosFiguresAreNotMerged() {
    var metrics = empty()
    let before = metrics
    let other = MetricSet(timeline: WindowTimeline(faults: [], duration: .seconds(1)), clients: 1)
    #expect(throws: MetricMergeError.otherTimeline) { try metrics.merge(other) }
    #expect(metrics == before)
  }

  @Test func aRecordRestoresWindowByWindow() throws {
    var unused = empty()
    let original = loop(1, of: &unused)
    var copy = empty()
    for window in original.timeline.windows {
      for series in original.series(in: window) {
        let stored = original.histogram(series, in: window).stored
        copy.restore(try #require(Histogram(stored)), series, in: window)
      }
      for counter in Counter.all { copy.restore(counter, by: original.total(counter, in: window), in: window) }
      for attempt in 1...MetricSet.highestDispersedAttempt {
        copy.restore(original.dispersion(attempt: attempt, in: window), attempt: attempt, in: window)
      }
    }
    copy.restore(ErrorCounts(entries: original.errors.entries.reversed()))
    copy.reconnectsPerClient = ClientCounts(counts: original.reconnectsPerClient.counts)
    copy.attemptsPerClient = ClientCounts(counts: original.attemptsPerClient.counts)
    let timeline = original.timeline
    let finished = try #require(timeline.finished)
    copy.timeline = try #require(
      WindowTimeline(
        faults: timeline.faults, duration: timeline.duration, closings: timeline.afterClosings,
        finished: finished))
    #expect(copy == original)
  }

  @Test func theLiveLineShowsTheLastSamplesAndRates() {
    var recent = RecentWindow(capacity: 4)
    #expect(recent.percentile(99) == nil)
    for value in [1000, 1, 2, 3, 4] { recent.record(.milliseconds(value)) }
    #expect(recent.percentile(99) == .milliseconds(4))
    #expect(recent.percentile(50) == .milliseconds(2))
    #expect(recent.count == 5)
    var meter = RateMeter(over: .seconds(5))
    #expect(meter.rate(total: 100, at: .seconds(1)) == 0)
    #expect(meter.rate(total: 300, at: .seconds(3)) == 100)
    #expect(meter.rate(total: 300, at: .seconds(10)) == 0)
  }
}
