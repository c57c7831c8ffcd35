import Core
import Protocols

/// OB-C4: a client that lost its connection comes back.
struct ClientReconnects: TallyingClause {
  static let info = ClauseInfo("OB-C4", .client, .client, "After a close it did not ask for, it reconnects.")
  static let topics: Topics = [.attempt, .intent]

  var tally = Tally()
  private struct State {
    /// Since when the client is to come back, and the faults that were on then.
    var lost: Instant?
    var faults: FaultSet = []
  }
  private var states = PerClient(State())
  private let cap: Duration
  private let limit: Duration

  init(_ options: JudgeOptions) {
    cap = options.backoffCap
    limit = options.backoffCap * 1.1
  }

  var tolerance: String { "an attempt within the backoff cap of \(Quantity.text(cap)) + 10 %" }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    switch observation.event {
    case .attempt:
      guard let lost = states[place].lost else { return }
      states[place].lost = nil
      if observation.time - lost <= limit {
        tally.kept(faults: states[place].faults)
      } else {
        late(observation.time, since: lost, place, &scene, "came back after")
      }
    case .intent(.stopped): states[place].lost = nil
    default: break
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient, !cut else { return }
    let state = scene.connections[place.connection]
    guard state.near.ended?.by != .client, !state.near.clientClosed, !scene.clients[place.client].isStopped else {
      return
    }
    states[place] = State(lost: time, faults: state.near.endedFaults)
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    for place in states.places {
      guard let lost = states[place].lost else { continue }
      if time - lost > limit {
        late(time, since: lost, place, &scene, "has not come back for")
      } else {
        tally.doubted("the run ended before the backoff cap had passed", at: time)
      }
    }
  }

  private mutating func late(
    _ time: Instant, since lost: Instant, _ place: Place, _ scene: inout Scene, _ words: String
  ) {
    guard scene.windows.clear(.attempts, lost, time) > limit else {
      return tally.doubted(
        "attempts could not be seen while the listener was refusing or the generator stalled", at: time)
    }
    violate(
      "the client \(words) \(Quantity.text(time - lost)); an attempt is expected within \(Quantity.text(limit))",
      at: time, place, &scene, severity: (time - lost).inSeconds, faults: states[place].faults)
  }
}

/// OB-C5: the pauses between attempts that fail grow, and attempts are never a flood.
struct ClientBacksOff: Clause {
  static let info = ClauseInfo("OB-C5", .client, .client, "It reconnects with backoff.")
  static let topics: Topics = [.attempt, .intent]

  /// Of the runs of failures that were judged, more than this share must not grow before it counts: pauses with full
  /// jitter fail to grow by chance in about one run of a hundred.
  private static let chance = 0.1

  private var tally = Tally()
  /// Runs of failures whose pauses did not grow.
  private var flat = 0
  private var flatEvidence: Evidence?

  private struct State {
    /// The last attempts, oldest first: enough to see a flood.
    var attempts: [Instant] = []
    /// The pauses before the attempts of this run of failures.
    var pauses: [Duration] = []
    var failures = 0
    /// When the last attempt ended without having opened, or the drop.
    var ended: Instant?
    var endedByFailure = false
    /// One of the pauses could not be seen.
    /// The faults that were on when the connection and the attempts since ended.
    var faults: FaultSet = []
    var isCensored = false
    var isJudged = false
    var isFlooding = false
  }
  private var states = PerClient(State())
  private let options: JudgeOptions
  private var flood: Int { options.attemptsPerSecond * Int(options.attemptWindow.inSeconds.rounded(.up)) + 1 }

  init(_ options: JudgeOptions) { self.options = options }

  private var tolerance: String {
    "at most \(options.attemptsPerSecond) attempts a second over \(Quantity.text(options.attemptWindow)); "
      + "\(options.failuresForBackoff) failures in a row: later pauses longer than earlier ones below the cap of "
      + "\(Quantity.text(options.backoffCap)), in at least 90 % of such runs"
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    switch observation.event {
    case .attempt: attempt(observation, place, &scene)
    case .intent(.started), .intent(.restarted), .intent(.stopped): states[place] = State()
    default: break
    }
  }

  private mutating func attempt(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    let now = observation.time
    states[place].attempts.append(now)
    if states[place].attempts.count > flood { states[place].attempts.removeFirst() }
    if states[place].attempts.count == flood, let first = states[place].attempts.first,
      now - first < options.attemptWindow
    {
      if !states[place].isFlooding {
        let evidence = scene.evidence(
          "\(flood) attempts within \(Quantity.text(now - first)); at most \(options.attemptsPerSecond) a second are expected",
          at: now, place, severity: 1)
        tally.violated(evidence, faults: observation.faults.union(states[place].faults))
        scene.violations.add(Self.info.id, evidence)
      }
      states[place].isFlooding = true
    } else {
      states[place].isFlooding = false
    }
    guard let ended = states[place].ended else { return }
    // A pause of which one end is an attempt that was seen during the refusal shows a listener that accepts.
    let isSeen =
      !scene.windows.overlaps(.attempts, ended, now) || scene.windows.overlaps(.attempts, now, now)
      || (states[place].endedByFailure && scene.windows.overlaps(.attempts, ended, ended))
    if isSeen { states[place].pauses.append(now - ended) } else { states[place].isCensored = true }
    states[place].ended = nil
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient, !cut else { return }
    let wasOpen = scene.connections[place.connection].near.opened != nil
    if wasOpen {
      // An open connection starts the schedule over.
      close(place, at: time)
      let attempts = states[place].attempts
      states[place] = State()
      states[place].attempts = attempts
    } else {
      states[place].failures += 1
      judge(place, at: time, &scene)
    }
    states[place].endedByFailure = !wasOpen
    states[place].ended = time
    states[place].faults.formUnion(scene.connections[place.connection].near.endedFaults)
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    for place in states.places { close(place, at: time) }
  }

  /// A run of failures is over; one too short to be judged decides nothing.
  private mutating func close(_ place: Place, at time: Instant) {
    let state = states[place]
    guard state.failures > 0 || !state.pauses.isEmpty || state.isCensored, !state.isJudged else { return }
    tally.doubted(
      "fewer than \(options.failuresForBackoff) failed attempts in a row, or one of their pauses could not be seen",
      at: time)
  }

  private mutating func judge(_ place: Place, at time: Instant, _ scene: inout Scene) {
    let state = states[place]
    guard state.failures >= options.failuresForBackoff, !state.isJudged, !state.isCensored,
      state.pauses.count >= options.failuresForBackoff - 1
    else { return }
    states[place].isJudged = true
    // The first pause, which follows the drop, may be none at all.
    let half = state.pauses.count / 2
    let earlier = mean(state.pauses.prefix(half))
    let later = mean(state.pauses.suffix(half))
    if later > earlier || earlier >= options.backoffCap.inSeconds * 0.9 { return tally.kept(faults: state.faults) }
    flat += 1
    tally.kept(faults: state.faults)
    let evidence = scene.evidence(
      "after \(state.failures) failed attempts in a row the later pauses last \(Quantity.fixed(later, decimals: 3)) s on "
        + "average, the earlier ones \(Quantity.fixed(earlier, decimals: 3)) s; they are expected to grow",
      at: time, place, severity: earlier - later)
    flatEvidence = flatEvidence.map { max($0, evidence) } ?? evidence
  }

  private func mean(_ pauses: ArraySlice<Duration>) -> Double {
    pauses.reduce(0) { $0 + $1.inSeconds } / Double(max(pauses.count, 1))
  }

  private var isFlat: Bool { Double(flat) > Self.chance * Double(tally.opportunities - tally.violations) }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    flat += other.flat
    flatEvidence = [flatEvidence, other.flatEvidence].compactMap { $0 }.max()
  }

  func finding() -> ClauseFinding {
    var finding = tally.finding(Self.info, tolerance: tolerance)
    if isFlat {
      finding.verdict = .fail
      finding.violations += flat
      finding.worst = [finding.worst, flatEvidence].compactMap { $0 }.max()
      finding.reason = nil
    } else if flat > 0 {
      finding.reason = "\(flat) runs of failures whose pauses did not grow are few enough to be chance"
    }
    return finding
  }
}
