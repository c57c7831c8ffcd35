import Core

/// The last few samples, for a live line: what it is like now, where a histogram says what it was like so far.
public struct RecentWindow: Sendable {
  private var ring: [Int64]
  private var next = 0
  /// How many samples there ever were.
  public private(set) var count = 0

  /// Keeps the last `capacity` samples, 8 bytes each; at least one.
  public init(capacity: Int = 256) { ring = [Int64](repeating: 0, count: max(1, capacity)) }

  public mutating func record(_ value: Duration) {
    ring[next] = value.nanoseconds
    next = next + 1 == ring.count ? 0 : next + 1
    count += 1
  }

  /// The smallest of the last samples such that at least `p` percent (0 to 100) of them are at or below it; nil without
  /// samples. Sorts the ring: for a display, not for the path of a message.
  public func percentile(_ p: Double) -> Duration? {
    guard count > 0, !p.isNaN else { return nil }
    let sorted = ring.prefix(min(count, ring.count)).sorted()
    let rank = (min(max(p, 0), 100) / 100 * Double(sorted.count)).rounded(.up)
    return .nanoseconds(sorted[min(max(Int(rank), 1), sorted.count) - 1])
  }
}

/// Events per second over the last few seconds, from a counter's growing total.
public struct RateMeter: Sendable {
  private var readings: [(time: Instant, total: UInt64)] = []
  private let span: Duration

  /// Over the last `span`; readings may be taken as often as the display is drawn, 64 of them are kept.
  public init(over span: Duration = .seconds(5)) { self.span = span }

  /// Takes a reading of the total and answers the rate per second since the oldest reading within the span; 0 until
  /// there are two.
  public mutating func rate(total: UInt64, at time: Instant) -> Double {
    // The newest reading at or before the span's beginning stays, so that the span is covered.
    while readings.count > 1, readings[1].time <= time - span || readings.count >= 64 { readings.removeFirst() }
    readings.append((time, total))
    guard let first = readings.first, first.time < time, total >= first.total else { return 0 }
    return Double(total - first.total) / (time - first.time).inSeconds
  }
}
