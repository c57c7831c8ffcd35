import Core

/// Durations (or counts) in buckets whose width grows with the value: exact counts, bounded memory, mergeable.
///
/// A log-linear HDR histogram of nanoseconds from 1 ns to 1 h with three significant digits: up to 2,047 ns every value
/// has a bucket of its own, above that a bucket is at most 1/1024 of its values wide, so a value read back is less than
/// 0.1 % above what was recorded. Zero has a bucket too. Memory is allocated in pages as values arrive: about 2 kB when
/// the first does, typically below 20 kB, never above 155 kB (twice that with censored samples all over the range).
///
/// A sample can be **censored**: something that was lost, or still out when the run ended, took *at least* the time
/// it waited. It counts with that time, and what depends on it is answered as a lower bound.
///
/// The same buckets count things (attempts, say): a count is recorded as so many nanoseconds.
public struct Histogram: Sendable {
  /// The smallest duration that can be told from zero.
  public static let lowest = Duration.nanoseconds(1)
  /// The largest duration that can be recorded; above, a sample is only known to be at least this.
  public static let highest = Duration.seconds(3600)
  /// The greatest error of a value read back, as a share of it.
  public static let relativeError = 1.0 / 1024

  private var exact = PagedCounters()
  private var atLeast = PagedCounters()
  /// How many samples there are, censored ones included.
  public private(set) var count: UInt64 = 0
  /// How many of them are only known to have taken at least their value.
  public private(set) var censoredCount: UInt64 = 0
  /// How many were above `highest`; they count as censored at `highest`.
  public private(set) var saturated: UInt64 = 0
  /// How many were below zero; they count as zero.
  public private(set) var negative: UInt64 = 0
  private var smallest = Int64.max
  private var largest = Int64.min
  private var sum: UInt128 = 0

  public init() {}

  public var isEmpty: Bool { count == 0 }

  // MARK: Recording

  /// Records a duration, `count` times; 0 or fewer times is not at all.
  public mutating func record(_ value: Duration, count: Int = 1) {
    record(nanoseconds: value.nanoseconds, count: count)
  }

  /// Records a duration in nanoseconds (or a count of things), `count` times.
  public mutating func record(nanoseconds value: Int64, count: Int = 1) {
    if value > HistogramLayout.highest {
      saturated = saturated.addingClamped(UInt64(Swift.max(count, 0)))
      return add(HistogramLayout.highest, count, censored: true)
    }
    add(value, count, censored: false)
  }

  /// Records samples that are only known to have taken at least this long: lost, or still out at the end.
  public mutating func recordAtLeast(_ value: Duration, count: Int = 1) {
    let nanoseconds = value.nanoseconds
    if nanoseconds > HistogramLayout.highest { saturated = saturated.addingClamped(UInt64(Swift.max(count, 0))) }
    add(Swift.min(nanoseconds, HistogramLayout.highest), count, censored: true)
  }

  private mutating func add(_ value: Int64, _ count: Int, censored: Bool) {
    guard count > 0 else { return }
    let times = UInt64(count)
    if value < 0 { negative = negative.addingClamped(times) }
    let value = Swift.max(value, 0)
    smallest = Swift.min(smallest, value)
    largest = Swift.max(largest, value)
    sum &+= UInt128(value) &* UInt128(times)
    self.count = self.count.addingClamped(times)
    let slot = HistogramLayout.slot(of: value)
    if censored {
      censoredCount = censoredCount.addingClamped(times)
      atLeast.add(times, at: slot, of: HistogramLayout.slots)
    } else {
      exact.add(times, at: slot, of: HistogramLayout.slots)
    }
  }

  /// Adds all samples of another; the same as having recorded them here. Exact, associative and commutative.
  public mutating func merge(_ other: Histogram) {
    guard other.count > 0 else { return }
    if count == 0 {
      self = other
      return
    }
    other.forEachSlot { slot, exactly, censored in
      if exactly > 0 { exact.add(exactly, at: slot, of: HistogramLayout.slots) }
      if censored > 0 { atLeast.add(censored, at: slot, of: HistogramLayout.slots) }
      return true
    }
    count = count.addingClamped(other.count)
    censoredCount = censoredCount.addingClamped(other.censoredCount)
    saturated = saturated.addingClamped(other.saturated)
    negative = negative.addingClamped(other.negative)
    smallest = Swift.min(smallest, other.smallest)
    largest = Swift.max(largest, other.largest)
    sum &+= other.sum
  }

  // MARK: Reading

  /// The smallest value recorded, exact; nil without samples.
  public var min: Duration? { count == 0 ? nil : .nanoseconds(smallest) }
  /// The largest value recorded, exact; nil without samples. A lower bound if anything is censored: what is still out
  /// may yet take longer than everything seen.
  public var max: Duration? { count == 0 ? nil : .nanoseconds(largest) }
  /// The mean of all values, exact to the nanosecond; nil without samples. A lower bound if anything is censored.
  public var mean: Duration? {
    count == 0 ? nil : .nanoseconds(Int64(clamping: (sum + UInt128(count) / 2) / UInt128(count)))
  }

  /// A percentile, with what samples that never finished leave open.
  public struct Percentile: Hashable, Sendable, CustomStringConvertible {
    /// The percentile if everything that is still out never ends; where that has no value, the least it can be.
    public var value: Duration
    /// True if the rank falls on a sample that never finished: the truth is at least `value`, and nobody knows how much.
    public var isLowerBound: Bool
    /// The percentile if everything that is still out ended now; equal to `value` where that changes nothing.
    public var least: Duration

    public init(value: Duration, isLowerBound: Bool = false, least: Duration? = nil) {
      self.value = value
      self.isLowerBound = isLowerBound
      self.least = least ?? value
    }

    /// `612 ms`, or `> 612 ms` for a lower bound.
    public var description: String { (isLowerBound ? "> " : "") + Quantity.text(value) }
  }

  /// The smallest bucket value such that at least `p` percent of the samples are at or below it, for `p` from 0 to 100
  /// (0 asks for the smallest sample); nil without samples.
  ///
  /// Censored samples rank above all others, as if they took for ever; a rank that falls on one answers a lower bound.
  /// The bucket's highest equivalent value is answered, as HdrHistogram does, but never more than `max`; for a lower
  /// bound the lowest equivalent value, so that it stays one. Values outside 0 to 100 are taken as 0 or 100.
  public func percentile(_ p: Double) -> Percentile? {
    guard count > 0, !p.isNaN else { return nil }
    let rank = Self.rank(of: p, in: count)
    var seen: UInt64 = 0
    var seenExactly: UInt64 = 0
    var least: (low: Int64, high: Int64)?
    var certain: Int64?
    forEachSlot { slot, exactly, censored in
      seenExactly = seenExactly.addingClamped(exactly)
      seen = seen.addingClamped(exactly).addingClamped(censored)
      if seen >= rank, least == nil {
        least = (
          Swift.max(HistogramLayout.lowest(in: slot), smallest), Swift.min(HistogramLayout.highest(in: slot), largest)
        )
      }
      if seenExactly >= rank { certain = Swift.min(HistogramLayout.highest(in: slot), largest) }
      return certain == nil
    }
    guard let least else { return nil }
    guard let certain else { return Percentile(value: .nanoseconds(least.low), isLowerBound: true) }
    return Percentile(value: .nanoseconds(certain), least: .nanoseconds(Swift.min(least.high, certain)))
  }

  /// The how-manieth smallest sample the percentile asks for, from 1.
  private static func rank(of p: Double, in count: UInt64) -> UInt64 {
    let total = Double(count)
    let position = Swift.min(Swift.max(p, 0), 100) / 100 * total
    // 99.9 % of 1,000 is 999, whatever binary fractions make of it.
    let nearest = position.rounded()
    let rank = abs(position - nearest) <= total * 1e-12 ? nearest : position.rounded(.up)
    return Swift.min(Swift.max(UInt64(exactly: rank) ?? count, 1), count)
  }

  /// One bucket that holds samples.
  public struct Bucket: Hashable, Sendable {
    /// The bucket's place in the row; what a stored histogram names it by.
    public var slot: Int
    /// The smallest and the largest value that fall into it.
    public var lowest: Duration
    public var highest: Duration
    /// Samples with such a value.
    public var exact: UInt64
    /// Samples known to have taken at least such a value.
    public var censored: UInt64
    public var count: UInt64 { exact.addingClamped(censored) }
  }

  /// The buckets that hold samples, ascending; for exporters.
  public var buckets: [Bucket] {
    var result: [Bucket] = []
    forEachSlot { slot, exactly, censored in
      result.append(
        Bucket(
          slot: slot, lowest: .nanoseconds(HistogramLayout.lowest(in: slot)),
          highest: .nanoseconds(HistogramLayout.highest(in: slot)), exact: exactly, censored: censored))
      return true
    }
    return result
  }

  /// Heap bytes in use.
  public var bytes: Int { exact.bytes + atLeast.bytes }

  /// Calls `body` for every slot with samples, ascending, until it answers false.
  private func forEachSlot(_ body: (_ slot: Int, _ exact: UInt64, _ censored: UInt64) -> Bool) {
    guard count > 0 else { return }
    var slot = HistogramLayout.slot(of: smallest)
    let last = HistogramLayout.slot(of: largest)
    while slot <= last {
      guard exact.hasPage(of: slot) || atLeast.hasPage(of: slot) else {
        slot = PagedCounters.nextPage(after: slot)
        continue
      }
      let exactly = exact.count(at: slot)
      let censored = atLeast.isEmpty ? 0 : atLeast.count(at: slot)
      if exactly > 0 || censored > 0, !body(slot, exactly, censored) { return }
      slot += 1
    }
  }
}

extension Histogram: Equatable {
  /// Whether both hold the same samples, as far as buckets tell; how they were put in does not matter.
  public static func == (a: Histogram, b: Histogram) -> Bool {
    a.count == b.count && a.censoredCount == b.censoredCount && a.saturated == b.saturated && a.negative == b.negative
      && a.smallest == b.smallest && a.largest == b.largest && a.sum == b.sum && a.buckets == b.buckets
  }
}

// MARK: - Storing

extension Histogram {
  /// A histogram as plain numbers, for run records; `init(_:)` checks and takes it back without loss.
  public struct Stored: Hashable, Sendable {
    /// The buckets that hold samples: slot, exact and censored samples; ascending.
    public struct Entry: Hashable, Sendable {
      public var slot: Int
      public var exact: UInt64
      public var censored: UInt64
      public init(slot: Int, exact: UInt64, censored: UInt64) {
        self.slot = slot
        self.exact = exact
        self.censored = censored
      }
    }
    public var entries: [Entry]
    /// Nanoseconds; 0 without samples.
    public var smallest: Int64
    public var largest: Int64
    /// The sum of all values in nanoseconds, as two words.
    public var sumHigh: UInt64
    public var sumLow: UInt64
    public var saturated: UInt64
    public var negative: UInt64

    public init(
      entries: [Entry], smallest: Int64, largest: Int64, sumHigh: UInt64, sumLow: UInt64, saturated: UInt64,
      negative: UInt64
    ) {
      self.entries = entries
      self.smallest = smallest
      self.largest = largest
      self.sumHigh = sumHigh
      self.sumLow = sumLow
      self.saturated = saturated
      self.negative = negative
    }
  }

  public var stored: Stored {
    Stored(
      entries: buckets.map { .init(slot: $0.slot, exact: $0.exact, censored: $0.censored) },
      smallest: count == 0 ? 0 : smallest, largest: count == 0 ? 0 : largest,
      sumHigh: UInt64(truncatingIfNeeded: sum >> 64), sumLow: UInt64(truncatingIfNeeded: sum), saturated: saturated,
      negative: negative)
  }

  /// Nil if the numbers cannot be those of a histogram: slots out of range or order, or totals that do not fit.
  public init?(_ stored: Stored) {
    self.init()
    var previous = -1
    for entry in stored.entries {
      guard entry.slot > previous, entry.slot < HistogramLayout.slots, entry.exact > 0 || entry.censored > 0 else {
        return nil
      }
      previous = entry.slot
      for (times, censored) in [(entry.exact, false), (entry.censored, true)] where times > 0 {
        guard let times = Int(exactly: times) else { return nil }
        add(HistogramLayout.lowest(in: entry.slot), times, censored: censored)
      }
    }
    guard count < .max, stored.saturated <= censoredCount, stored.negative <= count else { return nil }
    guard let first = stored.entries.first, let last = stored.entries.last else {
      guard stored.sumHigh == 0, stored.sumLow == 0 else { return nil }
      return
    }
    guard stored.smallest >= 0, stored.largest <= HistogramLayout.highest, stored.smallest <= stored.largest,
      HistogramLayout.slot(of: stored.smallest) == first.slot, HistogramLayout.slot(of: stored.largest) == last.slot
    else { return nil }
    smallest = stored.smallest
    largest = stored.largest
    sum = UInt128(stored.sumHigh) << 64 | UInt128(stored.sumLow)
    guard sum <= UInt128(largest) * UInt128(count), sum >= UInt128(smallest) * UInt128(count) else { return nil }
    saturated = stored.saturated
    negative = stored.negative
  }
}

extension UInt64 {
  /// The sum, or the largest number where it does not fit.
  func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
