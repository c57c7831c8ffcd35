/// What a budget is about, as people write it: a metric, a counter, counts per client, or how a herd disperses.
public struct BudgetSubject: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// Samples of a metric; of one attempt number where `attempt` says so.
    case metric(Metric)
    /// The total of one counter, or the sum of several.
    case counters([Counter])
    /// Counts over clients, of the whole run.
    case reconnectsPerClient
    case attemptsPerClient
    /// Index of dispersion of attempts after their drop.
    case dispersion
    /// Share of attempts in the busiest 100 ms after their drop.
    case herd
    /// Understood, and measured by a later version.
    case later(aggregates: Bool, unit: BudgetUnit)
  }

  /// The words in a budget.
  public let phrase: String
  public let kind: Kind
  /// What it is, in one sentence.
  public let meaning: String

  /// Whether `attempt N` may follow.
  var takesAttempt: Bool {
    switch kind {
    case .metric(let metric): metric.isPerAttempt
    case .dispersion, .herd: true
    default: false
    }
  }

  /// Every subject, in the order of the documentation; where two have the same words, the first is the one that
  /// distributions (`p99`, `max`, …) are asked of.
  public static let catalogue: [BudgetSubject] = metrics + counters + special + later

  private static let metrics: [BudgetSubject] = Metric.all.flatMap { metric in
    // `propagation.last` may be written `propagation last`; `backoff` is what was observed.
    var phrases = [metric.name]
    if metric.name.contains(".") { phrases.append(metric.name.split(separator: ".").joined(separator: " ")) }
    if metric == .backoffObserved { phrases.insert("backoff", at: 0) }
    if metric == .attempts { phrases = ["attempts per reconnect"] }
    return phrases.map { BudgetSubject(phrase: $0, kind: .metric(metric), meaning: metric.meaning) }
  }

  private static let counters: [BudgetSubject] =
    Counter.all.map { BudgetSubject(phrase: $0.name, kind: .counters([$0]), meaning: $0.meaning) } + [
      BudgetSubject(
        phrase: "messages", kind: .counters([.messagesIn, .messagesOut]), meaning: "Messages in and out."),
      BudgetSubject(phrase: "bytes", kind: .counters([.bytesIn, .bytesOut]), meaning: "Payload bytes in and out."),
    ]

  private static let special: [BudgetSubject] = [
    BudgetSubject(
      phrase: "reconnects per client", kind: .reconnectsPerClient,
      meaning: "How often each client's socket opened again; over the whole run."),
    BudgetSubject(
      phrase: "attempts per client", kind: .attemptsPerClient,
      meaning: "How often each client tried to connect; over the whole run."),
    BudgetSubject(
      phrase: "dispersion", kind: .dispersion,
      meaning: "Index of dispersion of attempts per 100 ms, from each connection's own drop; 1 is as good as random."),
    BudgetSubject(
      phrase: "herd share", kind: .herd,
      meaning: "Share of attempts in the busiest 100 ms, from each connection's own drop."),
  ]

  private static let later: [BudgetSubject] = [
    ("join", true, .duration, "From a join to its reply."),
    ("broadcast", true, .duration, "From a broadcast's intended send to each member."),
    ("broadcast.last", true, .duration, "From a broadcast's intended send to the last member."),
    ("state", true, .duration, "From a state write to each member that shows it."),
    ("presence", true, .duration, "From a cut until a member's presence is cleared."),
    ("http", true, .duration, "From a request's intended send to its response."),
    ("limit admitted", false, .rate, "Requests a limit let through."),
    ("limit refused", false, .rate, "Requests a limit turned away."),
    ("retryAfter promised", false, .share, "Share of refusals that say when to come again."),
    ("retryAfter honoured", false, .share, "Share of clients that wait as long as they were told."),
    ("retryAfter enough", false, .share, "Share of first requests after the wait that are let in."),
  ].map { phrase, aggregates, unit, meaning in
    BudgetSubject(phrase: phrase, kind: .later(aggregates: aggregates, unit: unit), meaning: meaning)
  }
}

/// What a budget's value is measured in.
public enum BudgetUnit: String, Hashable, Sendable {
  /// Nanoseconds.
  case duration
  /// Things.
  case number
  case bytes
  /// Things per second.
  case rate
  /// Bytes per second.
  case byteRate
  /// From 0 to 1.
  case share
}
