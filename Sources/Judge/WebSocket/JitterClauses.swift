import Core
import Protocols

/// WS-C6: the pauses before attempts of one number are not all alike.
struct PausesAreJittered: Clause {
  static let info = ClauseInfo("WS-C6", .client, .fleet, level: .should, "Pauses are jittered.")
  static let topics: Topics = [.attempt]

  private var runs = PerClient(AttemptRun())
  private var pauses = PausesByNumber()
  private var faults: FaultSet = []
  private let needed: Int
  /// Pauses this near to each other are alike: relative, and for short ones absolute.
  private static let relative = 0.02
  private static let absolute = 0.02

  init(_ options: JudgeOptions) { needed = max(options.pausesForJitter / 2, 3) }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, let pause = runs[place].attempt(at: observation.time, scene.windows) else { return }
    pauses.add(pause, client: observation.client, at: observation.time)
    faults.formUnion(pause.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    if place.hasClient, !cut { runs[place].end(scene.connections[place.connection], at: time) }
  }

  mutating func merge(_ other: Self) {
    pauses.merge(other.pauses)
    faults.formUnion(other.faults)
  }

  func finding() -> ClauseFinding {
    var tally = Tally()
    var figures: [String] = []
    for (index, sample) in pauses.samples.enumerated() where sample.total > 0 {
      let seconds = sample.seconds
      guard seconds.count >= needed, let first = seconds.first, let last = seconds.last else {
        tally.doubted("fewer than \(needed) pauses of one number, over a fleet or over repeats", at: .zero)
        continue
      }
      let band = "\(Quantity.text(.fractionalSeconds(first))) – \(Quantity.text(.fractionalSeconds(last)))"
      if last - first > max(Self.absolute, Self.relative * last) {
        tally.kept(faults: faults)
        let test = Uniformity(within: seconds)
        figures.append("attempt \(index + 1): \(test.map { $0.text(from: first, to: last) } ?? band)")
      } else {
        let text = "all \(sample.total) pauses before attempt \(index + 1) are alike: \(band)"
        tally.violated(Evidence(time: .zero, text: text, severity: Double(sample.total)), faults: faults)
      }
    }
    let tolerance =
      "\(needed) or more pauses of one number spread over more than 2 % and 20 ms; \(PauseSample.capacity) of each are kept"
    return tally.finding(
      Self.info, tolerance: tolerance, note: figures.isEmpty ? nil : figures.joined(separator: "; "))
  }
}

/// WS-C7: jitter has its effect at the longest pauses too; a delay that is capped after jitter has none there.
struct JitterHoldsAtCap: Clause {
  static let info = ClauseInfo(
    "WS-C7", .client, .fleet, level: .should, "Jitter holds at the cap too: it is not cut off by it.")
  static let topics: Topics = [.attempt]

  private var runs = PerClient(AttemptRun())
  private var pauses = PausesByNumber()
  private var faults: FaultSet = []
  private let needed: Int
  /// Attempt numbers whose pauses are within this share of the longest are at the cap; earlier ones below the other are not.
  private static let top = 0.85
  private static let below = 0.7
  /// Pauses this near to the longest lie on it: relative, and for short ones absolute.
  private static let relative = 0.01
  private static let absolute = 0.02

  init(_ options: JudgeOptions) { needed = options.pausesForJitter }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, let pause = runs[place].attempt(at: observation.time, scene.windows) else { return }
    pauses.add(pause, client: observation.client, at: observation.time)
    faults.formUnion(pause.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    if place.hasClient, !cut { runs[place].end(scene.connections[place.connection], at: time) }
  }

  mutating func merge(_ other: Self) {
    pauses.merge(other.pauses)
    faults.formUnion(other.faults)
  }

  /// The pauses of the attempt numbers at which the schedule has stopped growing, ascending; nil before it has.
  private var atCap: [Double]? {
    let means = pauses.samples.map { $0.total > 0 ? $0.mean : nil }
    guard let highest = means.compactMap({ $0 }).max(),
      means.contains(where: { ($0 ?? highest) <= Self.below * highest })
    else { return nil }
    // Of two numbers or more: one alone may be on its way to a higher one.
    let numbers = means.indices.filter { (means[$0] ?? 0) >= Self.top * highest }
    guard numbers.count >= 2 || numbers == [PausesByNumber.numbers - 1] else { return nil }
    return numbers.flatMap { pauses.samples[$0].seconds }.sorted()
  }

  func finding() -> ClauseFinding {
    var tally = Tally()
    var note: String?
    let tolerance =
      "of \(needed) or more pauses at the cap fewer than half within 1 % or 20 ms of the longest; of \(needed / 2) not all"
    if let capped = atCap, let longest = capped.last {
      let onIt = capped.count { longest - $0 <= max(Self.absolute, Self.relative * longest) }
      let text =
        "\(onIt) of \(capped.count) pauses at the cap lie on the longest, \(Quantity.text(.fractionalSeconds(longest)))"
      if capped.count >= needed ? onIt * 2 >= capped.count : onIt == capped.count && onIt >= needed / 2 {
        tally.violated(Evidence(time: .zero, text: text, severity: Double(onIt)), faults: faults)
      } else if capped.count >= needed {
        tally.kept(faults: faults)
        note = text
      } else {
        tally.doubted("fewer than \(needed) pauses at the cap", at: .zero)
      }
    } else if pauses.samples.contains(where: { $0.total > 0 }) {
      tally.doubted("pauses were not seen to reach a cap", at: .zero)
    }
    return tally.finding(Self.info, tolerance: tolerance, note: note)
  }
}
