import Core
import Testing

@testable import Metrics

@Suite struct HistogramTests {
  /// The definition, on a sorted array: the smallest value such that at least p % are at or below it.
  private func oracle(_ sorted: [Int64], _ perMille: Int) -> Int64 {
    let rank = max(1, (sorted.count * perMille + 999) / 1000)
    return sorted[rank - 1]
  }

  private func samples(_ count: Int, subject: UInt64) -> [Int64] {
    var random = SeededRandom(seed: 7, purpose: .test, subject: subject)
    // Spread over all magnitudes, so that every width of bucket is met.
    return (0..<count).map { _ in Int64(random.unit() * Double(1 << random.integer(in: 0...41))) }
  }

  @Test(arguments: [1, 2, 3, 10, 999, 1000, 20_000]) func percentilesAgreeWithASortedArray(count: Int) {
    let values = samples(count, subject: UInt64(count))
    var histogram = Histogram()
    for value in values { histogram.record(nanoseconds: value) }
    let sorted = values.sorted()
    for perMille in [0, 1, 10, 500, 900, 950, 990, 999, 1000] {
      let truth = oracle(sorted, perMille)
      let answer = histogram.percentile(Double(perMille) / 10)
      #expect(answer?.isLowerBound == false)
      let value = answer?.value.nanoseconds ?? -1
      #expect(value >= truth)
      #expect(Double(value - truth) <= Double(truth) * Histogram.relativeError)
    }
    #expect(histogram.count == UInt64(count))
    #expect(histogram.min?.nanoseconds == sorted.first)
    #expect(histogram.max?.nanoseconds == sorted.last)
    let sum = values.reduce(Int128(0)) { $0 + Int128($1) }
    #expect(histogram.mean?.nanoseconds == Int64((sum + Int128(count) / 2) / Int128(count)))
  }

  @Test func slotsCoverTheRangeWithoutGapsOrOverlaps() {
    var expected: Int64 = 0
    for slot in 0..<HistogramLayout.slots {
      #expect(HistogramLayout.lowest(in: slot) == expected)
      let highest = HistogramLayout.highest(in: slot)
      #expect(HistogramLayout.slot(of: expected) == slot && HistogramLayout.slot(of: highest) == slot)
      #expect(highest - expected <= expected / 1024)
      expected = highest + 1
    }
    #expect(expected == Histogram.highest.nanoseconds + 1)
  }

  @Test func smallValuesAreExact() {
    for value in [0, 1, 2, 31, 32, 33, 2046, 2047] as [Int64] {
      var histogram = Histogram()
      histogram.record(nanoseconds: value)
      histogram.record(nanoseconds: 1_000_000)
      #expect(histogram.percentile(50)?.value == .nanoseconds(value))
    }
  }

  @Test func pagesMeetWithoutLosingACount() {
    for edge in [31, 32, 63, 64, 2047, 2048, 2049, 4095, 4096, (1 << 41) - 1, 1 << 41] as [Int64] {
      var histogram = Histogram()
      for value in [edge - 1, edge, edge + 1] { histogram.record(nanoseconds: value) }
      #expect(histogram.buckets.reduce(0) { $0 + $1.count } == 3)
      #expect(histogram.buckets.map(\.lowest) == histogram.buckets.map(\.lowest).sorted())
    }
  }

  @Test func valuesAboveTheRangeAreLowerBounds() {
    var histogram = Histogram()
    histogram.record(.seconds(3600))
    #expect(histogram.saturated == 0)
    #expect(histogram.percentile(100) == .init(value: .seconds(3600), isLowerBound: false))
    histogram.record(.seconds(3601))
    histogram.record(nanoseconds: .max)
    #expect(histogram.saturated == 2)
    #expect(histogram.count == 3)
    #expect(histogram.percentile(100)?.isLowerBound == true)
    #expect(histogram.max == .seconds(3600))
  }

  @Test func valuesBelowZeroCountAsZero() {
    var histogram = Histogram()
    histogram.record(.nanoseconds(-5))
    histogram.record(nanoseconds: .min)
    #expect(histogram.negative == 2)
    #expect(histogram.percentile(100)?.value == .zero)
  }

  @Test func noSamplesAnswerNothing() {
    let histogram = Histogram()
    #expect(histogram.percentile(50) == nil)
    #expect(histogram.min == nil && histogram.max == nil && histogram.mean == nil)
    #expect(histogram.buckets.isEmpty && histogram.bytes == 0)
    var other = histogram
    other.record(.seconds(1), count: 0)
    other.record(.seconds(1), count: -3)
    #expect(other == histogram)
  }

  @Test func percentilesOutsideTheRangeAreItsEnds() {
    var histogram = Histogram()
    for value in 1...10 { histogram.record(nanoseconds: Int64(value)) }
    #expect(histogram.percentile(-1)?.value == .nanoseconds(1))
    #expect(histogram.percentile(250)?.value == .nanoseconds(10))
    #expect(histogram.percentile(.nan) == nil)
  }

  @Test func aPercentileThatNeedsALostSampleIsALowerBound() {
    var histogram = Histogram()
    histogram.record(.milliseconds(1), count: 99)
    histogram.recordAtLeast(.seconds(10))
    #expect(histogram.percentile(50)?.isLowerBound == false)
    #expect(histogram.percentile(99)?.isLowerBound == false)
    let last = histogram.percentile(99.5)
    #expect(last?.isLowerBound == true)
    #expect((last?.value ?? .zero) <= .seconds(10))
    #expect(last?.description == "> 9.99 s" || last?.description == "> 10.0 s")
    #expect(histogram.censoredCount == 1)
  }

  @Test func whatIsStillOutMayYetTakeLongerThanWhatWasSeen() {
    var histogram = Histogram()
    histogram.recordAtLeast(.milliseconds(1), count: 10)
    histogram.record(.milliseconds(5), count: 90)
    // 10 of 100 waited only 1 ms so far, and rank above all others: the 95th is one of them.
    #expect(histogram.percentile(50)?.isLowerBound == false)
    #expect(histogram.percentile(95)?.isLowerBound == true)
    #expect(histogram.percentile(0)?.isLowerBound == false)
    #expect(abs((histogram.percentile(0)?.least ?? .zero).nanoseconds - 1_000_000) <= 1000)
  }

  @Test func aFewLostSamplesMoveAPercentileByTheirRankAndNoMore() throws {
    var histogram = Histogram()
    for value in 1...1000 { histogram.record(.microseconds(value)) }
    histogram.recordAtLeast(.microseconds(500), count: 2)
    // Rank 952 of 1,002: the 952nd of the finished ones if the two take for ever, the 950th if they ended at once.
    let p95 = try #require(histogram.percentile(95))
    #expect(!p95.isLowerBound)
    #expect(abs(p95.value.nanoseconds - 952_000) <= 952)
    #expect(abs(p95.least.nanoseconds - 950_000) <= 950)
    #expect(p95.description == "952 µs")
  }

  @Test func countsBeyond32BitsAreExact() {
    var histogram = Histogram()
    histogram.record(.milliseconds(1), count: 3_000_000_000)
    histogram.record(.milliseconds(1), count: 3_000_000_000)
    histogram.record(.milliseconds(2), count: 1 << 40)
    #expect(histogram.buckets.map(\.exact) == [6_000_000_000, 1 << 40])
    var double = histogram
    double.merge(histogram)
    #expect(double.buckets.map(\.exact) == [12_000_000_000, 1 << 41])
    #expect(double.count == 2 * (6_000_000_000 + 1 << 40))
  }

  @Test func mergingEqualsRecordingAllInOneInAnyOrder() throws {
    var all = Histogram()
    var parts: [Histogram] = []
    for part in 0..<3 {
      var histogram = Histogram()
      for (index, value) in samples(500, subject: UInt64(part)).enumerated() {
        if index % 7 == 0 {
          histogram.recordAtLeast(.nanoseconds(value))
          all.recordAtLeast(.nanoseconds(value))
        } else {
          histogram.record(nanoseconds: value)
          all.record(nanoseconds: value)
        }
      }
      parts.append(histogram)
    }
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var left = Histogram()
      for part in order { left.merge(parts[part]) }
      #expect(left == all)
      var right = parts[order[1]]
      right.merge(parts[order[2]])
      var outer = parts[order[0]]
      outer.merge(right)
      #expect(outer == all)
    }
  }

  @Test func equalityIsOfSamplesNotOfHowTheyCame() {
    var up = Histogram()
    var down = Histogram()
    for value in [1, 70_000, 3_000_000_000] as [Int64] { up.record(nanoseconds: value) }
    for value in [3_000_000_000, 70_000, 1] as [Int64] { down.record(nanoseconds: value) }
    #expect(up == down)
    down.recordAtLeast(.nanoseconds(1))
    #expect(up != down)
    var censored = up
    up.record(nanoseconds: 1)
    censored.recordAtLeast(.nanoseconds(1))
    #expect(up != censored)
  }

  @Test func typicalLatenciesFitIn20Kilobytes() {
    var random = SeededRandom(seed: 1, purpose: .test)
    var histogram = Histogram()
    // 10 ms in the middle, a tail that reaches past 100 ms.
    for _ in 0..<100_000 { histogram.record(.fractionalSeconds(0.008 + random.exponential(mean: 0.008))) }
    #expect(histogram.bytes <= 20_000)
  }

  @Test func storedNumbersComeBackWithoutLoss() throws {
    var histogram = Histogram()
    for value in samples(300, subject: 9) { histogram.record(nanoseconds: value) }
    histogram.recordAtLeast(.seconds(4000))
    histogram.record(.nanoseconds(-1))
    #expect(Histogram(histogram.stored) == histogram)
    #expect(Histogram(Histogram().stored) == Histogram())
  }

  @Test func storedNumbersThatCannotBeAreRefused() {
    var histogram = Histogram()
    histogram.record(.milliseconds(3), count: 5)
    let good = histogram.stored
    let breakages: [(inout Histogram.Stored) -> Void] = [
      { $0.entries[0].slot = -1 }, { $0.entries[0].slot = HistogramLayout.slots },
      { $0.entries.append($0.entries[0]) }, { $0.entries[0].exact = 0 }, { $0.entries[0].exact = .max },
      { $0.entries = [] }, { $0.smallest = 1 }, { $0.largest = .max }, { $0.sumHigh = .max }, { $0.sumLow = 0 },
      { $0.saturated = 1 }, { $0.negative = 6 },
    ]
    for breakage in breakages {
      var stored = good
      breakage(&stored)
      #expect(Histogram(stored) == nil)
    }
  }
}
