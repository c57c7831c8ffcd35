import Core
import Protocols

/// WS-C4: the pauses between attempts that fail grow until they reach their cap.
struct PausesGrow: Clause {
  static let info = ClauseInfo("WS-C4", .client, .client, "The pauses between failed attempts grow, up to a cap.")
  static let topics: Topics = [.attempt, .intent]

  /// Of the runs that were judged, more than this share must not grow before it counts: pauses with full jitter fail to
  /// grow by chance in about one run of a hundred.
  private static let chance = 0.1

  private var tally = Tally()
  private var judged = 0
  private var flat = 0
  private var flatEvidence: Evidence?
  private var longest = Duration.zero
  private struct State {
    var run = AttemptRun()
    var pauses: [Double] = []
    var faults: FaultSet = []
    var isCensored = false
    var isJudged = false
  }
  private var states = PerClient(State())
  private let options: JudgeOptions

  init(_ options: JudgeOptions) { self.options = options }

  private var tolerance: String {
    "\(options.failuresForBackoff) pauses in a row: the later half's mean above the earlier's, unless that is within 10 % "
      + "of the cap of \(Quantity.text(options.backoffCap)); in at least 90 % of such runs"
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    guard case .attempt = observation.event else { return start(observation, place) }
    guard let pause = states[place].run.attempt(at: observation.time, scene.windows) else { return }
    if pause.openFor != nil {
      close(place, at: observation.time)
      states[place] = State(run: states[place].run)
    }
    guard pause.isSeen else { return states[place].isCensored = true }
    guard pause.isOwn else { return }
    longest = max(longest, pause.length)
    states[place].faults.formUnion(pause.faults)
    states[place].pauses.append(pause.length.inSeconds)
    judge(place, observation, &scene)
  }

  private mutating func start(_ observation: Observation, _ place: Place) {
    switch observation.event {
    case .intent(.started), .intent(.restarted), .intent(.stopped): states[place] = State()
    default: break
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient, !cut else { return }
    states[place].run.end(scene.connections[place.connection], at: time)
  }

  private mutating func judge(_ place: Place, _ observation: Observation, _ scene: inout Scene) {
    let state = states[place]
    guard state.pauses.count >= options.failuresForBackoff, !state.isJudged, !state.isCensored else { return }
    states[place].isJudged = true
    let half = state.pauses.count / 2
    let earlier = state.pauses.prefix(half).reduce(0, +) / Double(half)
    let later = state.pauses.suffix(half).reduce(0, +) / Double(half)
    judged += 1
    tally.kept(faults: state.faults)
    guard later <= earlier * 1.05, earlier < options.backoffCap.inSeconds * 0.9 else { return }
    flat += 1
    let evidence = scene.evidence(
      "over \(state.pauses.count) attempts in a row the later pauses last \(Quantity.fixed(later, decimals: 3)) s on average,"
        + " the earlier ones \(Quantity.fixed(earlier, decimals: 3)) s; they are expected to grow",
      at: observation.time, place, severity: earlier - later)
    flatEvidence = flatEvidence.map { max($0, evidence) } ?? evidence
  }

  private mutating func close(_ place: Place, at time: Instant) {
    let state = states[place]
    guard !state.pauses.isEmpty || state.isCensored, !state.isJudged else { return }
    tally.doubted(
      "fewer than \(options.failuresForBackoff) attempts in a row, or one of their pauses could not be seen", at: time)
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    for place in states.places { close(place, at: time) }
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    judged += other.judged
    flat += other.flat
    longest = max(longest, other.longest)
    flatEvidence = [flatEvidence, other.flatEvidence].compactMap { $0 }.max()
  }

  func finding() -> ClauseFinding {
    let note = longest > .zero ? "longest pause \(Quantity.text(longest))" : nil
    var finding = tally.finding(Self.info, tolerance: tolerance, note: note)
    if Double(flat) > Self.chance * Double(judged) {
      finding.verdict = .fail
      finding.violations += flat
      finding.worst = flatEvidence
    }
    return finding
  }
}

/// WS-C5: attempts are never a flood.
struct NoHotLoop: TallyingClause {
  static let info = ClauseInfo("WS-C5", .client, .client, "It never connects in a hot loop.")
  static let topics: Topics = [.attempt]

  var tally = Tally()
  private struct State { var attempts: [Instant] = []; var isFlooding = false }
  private var states = PerClient(State())
  private let options: JudgeOptions
  private let flood: Int

  init(_ options: JudgeOptions) {
    self.options = options
    flood = options.attemptsPerSecond * Int(options.attemptWindow.inSeconds.rounded(.up)) + 1
  }

  var tolerance: String {
    "at most \(options.attemptsPerSecond) attempts a second over \(Quantity.text(options.attemptWindow))"
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    let now = observation.time
    states[place].attempts.append(now)
    if states[place].attempts.count > flood { states[place].attempts.removeFirst() }
    // The first attempt of a client follows nothing.
    guard states[place].attempts.count > 1, let first = states[place].attempts.first else { return }
    guard states[place].attempts.count == flood, now - first < options.attemptWindow else {
      states[place].isFlooding = false
      return tally.kept(faults: observation.faults)
    }
    guard !states[place].isFlooding else { return }
    states[place].isFlooding = true
    if scene.windows.overlaps(.times, first, now) {
      return tally.doubted("the generator stalled while attempts came", at: now)
    }
    violate(
      "\(flood) attempts within \(Quantity.text(now - first)); at most \(options.attemptsPerSecond) a second are expected",
      at: now, place, &scene, faults: observation.faults)
  }
}

/// WS-C8: only a connection that has held for a while lets the pauses begin anew.
struct BackoffOutlivesShortOpening: TallyingClause {
  static let info = ClauseInfo(
    "WS-C8", .client, .client, level: .should, "Backoff starts over after a healthy connection, not on a mere open.")
  static let topics: Topics = [.attempt, .intent]

  var tally = Tally()
  private struct State {
    var run = AttemptRun()
    /// The shortest first pause after a connection that had held.
    var first: Double?
    /// The longest pause since.
    var grown: Double?
  }
  private var states = PerClient(State())
  private let healthy: Duration
  /// By what factor pauses must have grown before a fall can be told from jitter.
  private static let growth = 4.0
  private static let leastFirst = 0.05

  init(_ options: JudgeOptions) { healthy = options.healthyOpen }

  var tolerance: String {
    "open for less than \(Quantity.text(healthy)) after pauses had grown \(Quantity.fixed(Self.growth, decimals: 0))-fold: the "
      + "next pause is nearer to the grown one than to the first"
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    guard case .attempt = observation.event else {
      switch observation.event {
      case .intent(.started), .intent(.restarted), .intent(.stopped): states[place] = State()
      default: break
      }
      return
    }
    guard let pause = states[place].run.attempt(at: observation.time, scene.windows), pause.isSeen else { return }
    let length = max(pause.length.inSeconds, Self.leastFirst)
    if let open = pause.openFor, open >= healthy {
      states[place].first = min(states[place].first ?? length, length)
      states[place].grown = nil
    } else if pause.openFor != nil, let grown = states[place].grown {
      afterShortOpening(length, grown, pause, observation, place, &scene)
    } else if states[place].first == nil {
      states[place].first = length
    } else {
      states[place].grown = max(states[place].grown ?? length, length)
    }
  }

  private mutating func afterShortOpening(
    _ length: Double, _ grown: Double, _ pause: AttemptRun.Pause, _ observation: Observation, _ place: Place,
    _ scene: inout Scene
  ) {
    guard let first = states[place].first, grown >= Self.growth * first else {
      return tally.doubted("pauses had not grown enough when a connection opened for a moment", at: observation.time)
    }
    if length * length >= first * grown {
      states[place].grown = max(grown, length)
      return tally.kept(faults: pause.faults)
    }
    states[place].grown = nil
    violate(
      "the pause fell from \(Quantity.fixed(grown, decimals: 2)) s to \(Quantity.fixed(length, decimals: 2)) s after a "
        + "connection that was open for \(Quantity.text(pause.openFor ?? .zero)) only", at: observation.time, place,
      &scene,
      severity: grown / length, faults: pause.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient, !cut else { return }
    states[place].run.end(scene.connections[place.connection], at: time)
  }
}

/// WS-C9: a server that says when to come back is listened to.
struct RetryAfterIsHonoured: TallyingClause {
  static let info = ClauseInfo(
    "WS-C9", .client, .client, level: .should, "The Retry-After of a refused upgrade is honoured.")
  static let topics = Topics.upgradeResponse.union(.attempt)

  var tally = Tally()
  private struct Told { var at: Instant; var wait: Duration; var faults: FaultSet }
  private var states = PerClient(Told?.none)
  /// A timer may fire a little early.
  private static let early = Duration.milliseconds(100)

  init(_ options: JudgeOptions) {}

  var tolerance: String { "no attempt earlier than \(Quantity.text(Self.early)) before its end" }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient else { return }
    switch observation.event {
    case .upgradeResponse(let response) where observation.side == .client && response.status >= 300:
      guard let wait = HTTPDate.wait(response.headers), wait < HTTPDate.longestWait else { return }
      states[place] = Told(at: observation.time, wait: .fractionalSeconds(wait), faults: observation.faults)
    case .attempt:
      guard let told = states[place] else { return }
      states[place] = nil
      let waited = observation.time - told.at
      if waited >= told.wait - Self.early { return tally.kept(faults: told.faults) }
      violate(
        "the client comes back after \(Quantity.text(waited)) although Retry-After asked for \(Quantity.text(told.wait))",
        at: observation.time, place, &scene, severity: (told.wait - waited).inSeconds, faults: told.faults)
    default: break
    }
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    for place in states.places where states[place] != nil {
      tally.doubted("the run ended before a client that was told to wait had come back", at: time)
    }
  }
}
