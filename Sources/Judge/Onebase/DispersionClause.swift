import Core
import Protocols

/// OB-C6: clients that were dropped together do not come back together.
struct BackoffIsDispersed: Clause {
  static let info = ClauseInfo("OB-C6", .client, .fleet, level: .should, "Backoff is dispersed.")
  static let topics: Topics = [.attempt]

  /// Attempts are counted per 100 ms from each connection's own drop, for the first attempts after it.
  private static let bin = Duration.milliseconds(100)
  private static let binsPerAttempt = 1_200
  private static let attempts = 6

  private struct State { var dropped: Instant?; var attempt = 0 }
  private var states = PerClient(State())
  private var bins = [UInt32](repeating: 0, count: attempts * binsPerAttempt)
  private let share: Double
  private let needed: Int

  init(_ options: JudgeOptions) {
    share = options.busiestShare
    needed = options.attemptsForDispersion
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, let dropped = states[place].dropped, states[place].attempt < Self.attempts else { return }
    let offset = Int((observation.time - dropped).nanoseconds / Self.bin.nanoseconds)
    bins[states[place].attempt * Self.binsPerAttempt + min(max(offset, 0), Self.binsPerAttempt - 1)] += 1
    states[place].attempt += 1
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient, !cut, scene.connections[place.connection].near.opened != nil else { return }
    let wasDropped = scene.connections[place.connection].near.ended?.by != .client
    states[place] = State(dropped: wasDropped ? time : nil)
  }

  mutating func merge(_ other: Self) { for index in bins.indices { bins[index] &+= other.bins[index] } }

  func finding() -> ClauseFinding {
    var tally = Tally()
    var figures: [String] = []
    for attempt in 0..<Self.attempts {
      let counts = bins[attempt * Self.binsPerAttempt..<(attempt + 1) * Self.binsPerAttempt]
      let total = counts.reduce(0) { $0 + Int($1) }
      guard total > 0 else { continue }
      guard total >= needed else {
        tally.doubted("fewer than \(needed) attempts of one number followed a drop", at: .zero)
        continue
      }
      let busiest = Double(counts.max() ?? 0) / Double(total)
      let text =
        "attempt \(attempt + 1): \(Quantity.fixed(busiest * 100, decimals: 0)) % in the busiest 100 ms, "
        + "index of dispersion \(Quantity.fixed(dispersion(counts, total), decimals: 1))"
      figures.append(text)
      if busiest <= share {
        tally.kept()
      } else {
        tally.violated(Evidence(time: .zero, text: "\(text), of \(total) attempts", severity: busiest))
      }
    }
    return tally.finding(
      Self.info,
      tolerance: "at most \(Quantity.fixed(share * 100, decimals: 0)) % of \(needed) or more attempts within 100 ms",
      note: figures.isEmpty ? nil : figures.joined(separator: "; "))
  }

  /// Variance over mean of the counts, from the first bin to the last that holds any; 1 for attempts at random.
  private func dispersion(_ counts: ArraySlice<UInt32>, _ total: Int) -> Double {
    guard let last = counts.lastIndex(where: { $0 > 0 }) else { return 0 }
    let used = counts[counts.startIndex...last]
    let mean = Double(total) / Double(used.count)
    let variance = used.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / Double(used.count)
    return variance / mean
  }
}
