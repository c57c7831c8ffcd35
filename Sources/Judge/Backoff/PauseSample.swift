import Core

/// A sample of pauses that does not depend on the order in which they came, nor on how loops were merged: those whose
/// draws are the smallest.
struct PauseSample: Hashable, Sendable {
  /// How many pauses are kept.
  static let capacity = 512

  private struct Entry: Hashable, Comparable {
    var draw: UInt64
    var seconds: Double
    static func < (a: Entry, b: Entry) -> Bool { (a.draw, a.seconds) < (b.draw, b.seconds) }
  }
  private var entries: [Entry] = []
  /// How many pauses there were, kept or not.
  private(set) var total = 0

  mutating func add(_ pause: Duration, client: ClientID?, at time: Instant) {
    total += 1
    let who = SeededRandom.mix(UInt64(client?.number ?? .max))
    entries.append(
      Entry(draw: SeededRandom.mix(who ^ UInt64(bitPattern: time.nanoseconds)), seconds: pause.inSeconds))
    if entries.count >= 2 * Self.capacity { shrink() }
  }

  mutating func merge(_ other: PauseSample) {
    total += other.total
    entries += other.entries
    if entries.count > Self.capacity { shrink() }
  }

  private mutating func shrink() {
    entries.sort()
    entries.removeLast(entries.count - Self.capacity)
  }

  /// The pauses that are kept, in seconds, ascending.
  var seconds: [Double] {
    var kept = entries
    if kept.count > Self.capacity { kept = Array(kept.sorted().prefix(Self.capacity)) }
    return kept.map(\.seconds).sorted()
  }

  var mean: Double {
    let all = seconds
    return all.reduce(0, +) / Double(max(all.count, 1))
  }
}

/// Pauses by the number of the attempt that they come before.
struct PausesByNumber: Hashable, Sendable {
  /// Attempts from this number on share one sample.
  static let numbers = 16
  private(set) var samples = [PauseSample](repeating: PauseSample(), count: numbers)

  mutating func add(_ pause: AttemptRun.Pause, client: ClientID?, at time: Instant) {
    guard pause.isSeen, pause.isOwn, pause.number > 0 else { return }
    samples[min(pause.number, Self.numbers) - 1].add(pause.length, client: client, at: time)
  }

  mutating func merge(_ other: PausesByNumber) {
    for index in samples.indices { samples[index].merge(other.samples[index]) }
  }
}
