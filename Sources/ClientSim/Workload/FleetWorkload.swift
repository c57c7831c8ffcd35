import Core

/// One client's part of its fleet's calls: open arrivals, whose times are fixed by the seed alone, and closed loops.
public struct FleetWorkload: ClientWorkload {
  private struct Series {
    let plan: CallPlan
    /// When the next is meant to be made; nil while a closed loop waits for an answer.
    var next: Instant?
    /// The time between arrivals.
    var random: SeededRandom
  }

  private let client: ClientID
  private let runTag: UInt32
  private var series: [Series]
  private var arguments: SeededRandom
  private var sequence: UInt32 = 0

  public init(_ context: SessionContext, start: Instant) {
    client = context.client
    runTag = context.runTag
    arguments = context.random(.arguments, 0)
    series = context.plan.calls.map { plan in
      let purpose: RandomPurpose = if case .loop = plan.pace { .thinkTime } else { .arrivals }
      var random = context.random(purpose, plan.index)
      let first = start + plan.start + Self.phase(plan.pace, &random)
      return Series(plan: plan, next: first, random: random)
    }
  }

  /// How far into its rhythm a client begins, so that a fleet's calls are spread.
  private static func phase(_ pace: CallPlan.Pace, _ random: inout SeededRandom) -> Duration {
    switch pace {
    case .constant(let rate): .fractionalSeconds(random.unit() / rate)
    case .poisson(let rate): .fractionalSeconds(random.exponential(mean: 1 / rate))
    case .loop(let think): .fractionalSeconds(random.unit() * think.inSeconds)
    }
  }

  public var nextDue: Instant? {
    var earliest: Instant?
    for one in series { if let next = one.next, next < earliest ?? .distantFuture { earliest = next } }
    return earliest
  }

  public mutating func takeDue(at now: Instant, into commands: inout [SessionCommand]) {
    // In the order in which they were meant, over all series; of equal times the first series' first.
    while let place = earliest(by: now), let intended = series[place].next {
      commands.append(.call(request(series[place].plan, intended: intended)))
      switch series[place].plan.pace {
      case .constant(let rate): series[place].next = intended + .fractionalSeconds(1 / rate)
      case .poisson(let rate):
        series[place].next = intended + .fractionalSeconds(series[place].random.exponential(mean: 1 / rate))
      case .loop: series[place].next = nil
      }
    }
  }

  private func earliest(by now: Instant) -> Int? {
    var place: Int?
    var earliest = Instant.distantFuture
    for (index, one) in series.enumerated() {
      if let next = one.next, next <= now, next < earliest { (place, earliest) = (index, next) }
    }
    return place
  }

  private mutating func request(_ plan: CallPlan, intended: Instant) -> CallRequest {
    var marker: Marker?
    if plan.arguments.hasMarker {
      sequence += 1
      marker = Marker(run: runTag, client: client, sequence: sequence, sent: intended)
    }
    var spans: [Range<Int>] = []
    let bytes = plan.arguments.render(for: client, marker: marker, &arguments, spans: &spans)
    let seenBy = marker == nil ? [] : plan.seenBy.map { $0.key(plan.arguments, bytes, spans) }
    return CallRequest(plan: plan, arguments: bytes, marker: marker, intended: intended, seenBy: seenBy)
  }

  /// How long a closed loop waits at least after a call that was lost, so that one whose calls are lost at once does not spin.
  public static let pauseAfterLoss = Duration.milliseconds(100)

  public mutating func finished(call: Int, isLost: Bool, at now: Instant) {
    guard series.indices.contains(call), case .loop(let think) = series[call].plan.pace, series[call].next == nil else {
      return
    }
    series[call].next = now + (isLost ? max(think, Self.pauseAfterLoss) : think)
  }
}

extension SessionContext {
  /// The client's own stream for a purpose; `part` tells several of one purpose apart.
  func random(_ purpose: RandomPurpose, _ part: Int) -> SeededRandom {
    SeededRandom(seed: seed, purpose: purpose, subject: UInt64(part) << 32 | UInt64(client.number))
  }
}
