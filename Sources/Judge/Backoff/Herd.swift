import Core

/// How the attempts of a fleet spread out after a drop, by the number of the attempt: the engine of the clauses on
/// dispersion. Counts from each connection's own drop.
struct Herd: Sendable {
  private static let bin = Duration.milliseconds(100)
  private static let binsPerAttempt = 1_200
  private static let attempts = 6

  private struct State { var dropped: Instant?; var attempt = 0 }
  private var states = PerClient(State())
  private var runs = PerClient(AttemptRun())
  private var bins = [UInt32](repeating: 0, count: attempts * binsPerAttempt)
  private var pauses = PausesByNumber()
  private var faults: FaultSet = []
  private let share: Double
  private let needed: Int

  init(_ options: JudgeOptions) {
    share = options.busiestShare
    needed = options.attemptsForDispersion
  }

  mutating func attempt(_ observation: Observation, _ place: Place, _ scene: Scene) {
    guard place.hasClient else { return }
    if let pause = runs[place].attempt(at: observation.time, scene.windows) {
      pauses.add(pause, client: observation.client, at: observation.time)
    }
    guard let dropped = states[place].dropped, states[place].attempt < Self.attempts else { return }
    let offset = Int((observation.time - dropped).nanoseconds / Self.bin.nanoseconds)
    bins[states[place].attempt * Self.binsPerAttempt + min(max(offset, 0), Self.binsPerAttempt - 1)] += 1
    states[place].attempt += 1
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: Scene) {
    guard place.hasClient, !cut else { return }
    let connection = scene.connections[place.connection]
    runs[place].end(connection, at: time)
    guard connection.near.opened != nil else { return }
    let wasDropped = connection.near.ended?.by != .client
    states[place] = State(dropped: wasDropped ? time : nil)
    if wasDropped { faults.formUnion(connection.near.endedFaults) }
  }

  mutating func merge(_ other: Herd) {
    for index in bins.indices { bins[index] &+= other.bins[index] }
    pauses.merge(other.pauses)
    faults.formUnion(other.faults)
  }

  func finding(_ info: ClauseInfo) -> ClauseFinding {
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
      let text = sentence(attempt, counts, total, busiest)
      figures.append(text)
      if busiest <= share {
        tally.kept(faults: faults)
      } else {
        tally.violated(Evidence(time: .zero, text: text, severity: busiest), faults: faults)
      }
    }
    return tally.finding(
      info, tolerance: "at most \(Quantity.fixed(share * 100, decimals: 0)) % of \(needed) or more within 100 ms",
      note: figures.isEmpty ? nil : figures.joined(separator: "; "))
  }

  /// As in `attempt 1: 81 % of 500 clients came back within one 100 ms window, 1.2 s after the drop; …`.
  private func sentence(_ attempt: Int, _ counts: ArraySlice<UInt32>, _ total: Int, _ busiest: Double) -> String {
    let percent = Quantity.fixed(busiest * 100, decimals: 0)
    let what = attempt == 0 ? "clients came back" : "clients tried for the \(attempt + 1). time"
    var text = "attempt \(attempt + 1): \(percent) % of \(total) \(what) within one 100 ms window"
    if let peak = counts.firstIndex(of: counts.max() ?? 0) {
      text += ", \(Quantity.text(Self.bin * (peak - counts.startIndex))) after the drop"
    }
    text += " (index of dispersion \(Quantity.fixed(dispersion(counts, total), decimals: 1))"
    let seconds = pauses.samples[attempt].seconds
    if let first = seconds.first, let last = seconds.last, let test = Uniformity(within: seconds) {
      text += "; pauses \(test.text(from: first, to: last))"
    }
    return text + ")"
  }

  /// Variance over mean of the counts, from the first bin that holds any to the last; 1 for attempts at random.
  private func dispersion(_ counts: ArraySlice<UInt32>, _ total: Int) -> Double {
    guard let first = counts.firstIndex(where: { $0 > 0 }), let last = counts.lastIndex(where: { $0 > 0 }) else {
      return 0
    }
    let used = counts[first...last]
    // A herd that fits one window is no less of one: the empty window before it counts.
    let bins = Double(max(used.count, 2))
    let mean = Double(total) / bins
    let inside = used.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
    return (inside + (bins - Double(used.count)) * mean * mean) / bins / mean
  }
}
