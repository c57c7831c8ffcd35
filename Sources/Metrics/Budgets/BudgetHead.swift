import Core

/// What stands before the comparison: subject, attempt number, aggregate.
struct BudgetHead {
  let subject: BudgetSubject
  let attempt: Int?
  let aggregate: BudgetAggregate
  private let offset: Int
  private let aggregateOffset: Int
  private let hasAggregate: Bool

  /// For messages: `transition p99`.
  var name: String { hasAggregate ? "\(subject.phrase) \(aggregate)" : subject.phrase }

  /// Takes the words of the head apart. `end` is where they end.
  init(_ words: inout [BudgetLexer.Located], end: Int) throws(BudgetError) {
    guard let first = words.first else {
      throw BudgetError(
        "the budget has no subject", offset: end, expected: "a metric or a counter, such as \"transition p99\"")
    }
    offset = first.offset
    let candidates = try Self.subjects(&words)
    attempt = try Self.attempt(&words, of: candidates[0], end: end)
    aggregateOffset = words.first?.offset ?? end
    let written = try Self.aggregate(&words, of: candidates[0])
    hasAggregate = written != nil
    if let extra = words.first {
      throw BudgetError("\"\(extra.text)\" is one word too many", offset: extra.offset, expected: "a comparison")
    }
    // `attempts p99` is of those a reconnect took, `attempts < 5000` of all.
    subject =
      candidates[0].kind == .counters([.attempts]) && written?.isOfDistribution == true
      ? Self.attemptsPerReconnect ?? candidates[0] : candidates[0]
    guard let aggregate = written ?? Self.defaultAggregate(of: subject) else {
      throw BudgetError(
        "\"\(subject.phrase)\" has many values", offset: aggregateOffset,
        expected: "which one is meant: p50, p95, p99, p99.9, min, max, mean, count or rate")
    }
    self.aggregate = aggregate
  }

  private static let attemptsPerReconnect = BudgetSubject.catalogue.first { $0.kind == .metric(.attempts) }

  /// Takes the longest phrase that is a subject.
  private static func subjects(_ words: inout [BudgetLexer.Located]) throws(BudgetError) -> [BudgetSubject] {
    for length in stride(from: min(3, words.count), through: 1, by: -1) {
      let phrase = words.prefix(length).map(\.text).joined(separator: " ")
      let found = BudgetSubject.catalogue.filter { $0.phrase == phrase }
      if !found.isEmpty {
        words.removeFirst(length)
        return found
      }
    }
    // What was meant is all words up to an aggregate or an attempt number.
    let meant = words.prefix { BudgetAggregate($0.text) == nil && $0.text != "attempt" }.map(\.text)
    let phrases = BudgetSubject.catalogue.map(\.phrase)
    let phrase = meant.prefix(4).joined(separator: " ")
    throw BudgetError(
      "unknown metric \"\(phrase.isEmpty ? words[0].text : phrase)\"", offset: words[0].offset,
      suggestion: Suggestion.nearest(to: phrase, among: phrases)
        ?? Suggestion.nearest(to: words[0].text, among: phrases))
  }

  private static func attempt(_ words: inout [BudgetLexer.Located], of subject: BudgetSubject, end: Int)
    throws(BudgetError) -> Int?
  {
    guard let word = words.first, word.text == "attempt" else { return nil }
    guard subject.takesAttempt else {
      throw BudgetError("\"\(subject.phrase)\" is not kept apart per attempt", offset: word.offset)
    }
    words.removeFirst()
    let range = 1...Metric.highestAttempt
    guard let number = words.first, case .quantity(let digits, "") = number.token, let attempt = Int(digits),
      range.contains(attempt)
    else {
      throw BudgetError(
        "\"attempt\" is not followed by its number", offset: words.first?.offset ?? end,
        expected: "a number from 1 to \(Metric.highestAttempt)")
    }
    words.removeFirst()
    return attempt
  }

  private static func aggregate(_ words: inout [BudgetLexer.Located], of subject: BudgetSubject) throws(BudgetError)
    -> BudgetAggregate?
  {
    guard let word = words.first else { return nil }
    guard let aggregate = BudgetAggregate(word.text) else {
      let names = BudgetAggregate.names + (subject.takesAttempt ? ["attempt"] : [])
      // No percentile is near another one in meaning.
      let looksLikePercentile = word.text.hasPrefix("p") && word.text.dropFirst().first?.isNumber == true
      let longer = BudgetSubject.catalogue.map(\.phrase).filter { $0.hasPrefix(subject.phrase + " ") }
      let phrase = "\(subject.phrase) \(word.text)"
      throw BudgetError(
        "\"\(word.text)\" is no figure of \"\(subject.phrase)\"", offset: word.offset,
        expected: looksLikePercentile
          ? "a percentile above p0 and up to p100, such as p99.9" : names.joined(separator: ", "),
        suggestion: looksLikePercentile
          ? nil : Suggestion.nearest(to: word.text, among: names) ?? Suggestion.nearest(to: phrase, among: longer))
    }
    words.removeFirst()
    return aggregate
  }

  private static func defaultAggregate(of subject: BudgetSubject) -> BudgetAggregate? {
    switch subject.kind {
    case .metric, .reconnectsPerClient, .attemptsPerClient: nil
    case .counters: .count
    case .dispersion: .mean
    case .herd: .share
    case .later(let aggregates, let unit): aggregates ? nil : unit == .share ? .share : .rate
    }
  }

  /// Whether windows are no part of it.
  var isWholeRunOnly: Bool { subject.kind == .reconnectsPerClient || subject.kind == .attemptsPerClient }

  /// What its value is measured in.
  ///
  /// - Throws: when the aggregate makes no sense for the subject.
  func unit() throws(BudgetError) -> BudgetUnit {
    switch (subject.kind, aggregate) {
    case (.metric(let metric), .percentile), (.metric(let metric), .min), (.metric(let metric), .max),
      (.metric(let metric), .mean):
      return metric.unit == .duration ? .duration : .number
    case (.metric, .count): return .number
    case (.metric, .rate): return .rate
    case (.counters(let counters), .count): return counters.allSatisfy(\.isBytes) ? .bytes : .number
    case (.counters(let counters), .rate): return counters.allSatisfy(\.isBytes) ? .byteRate : .rate
    case (.counters(let counters), .share) where counters.count == 1 && counters[0].opportunity != nil: return .share
    case (.reconnectsPerClient, let aggregate) where aggregate.isOfDistribution: return .number
    case (.attemptsPerClient, let aggregate) where aggregate.isOfDistribution: return .number
    case (.dispersion, _) where !hasAggregate: return .number
    case (.herd, _) where !hasAggregate: return .share
    case (.later(true, let unit), let aggregate) where aggregate.isOfDistribution: return unit
    case (.later(_, _), .count): return .number
    case (.later(_, _), .rate): return .rate
    case (.later(_, .share), .share): return .share
    default: throw nonsense
    }
  }

  private var nonsense: BudgetError {
    let expected: String
    var suggestion: String?
    switch subject.kind {
    case .metric: expected = "p50, p95, p99, p99.9, min, max, mean, count or rate"
    case .counters(let counters):
      let hasShare = counters.count == 1 && counters[0].opportunity != nil
      expected = hasShare ? "count, rate or share" : "count or rate: it is one number"
      suggestion = counters == [.reconnects] ? "reconnects per client \(aggregate)" : nil
    case .reconnectsPerClient, .attemptsPerClient: expected = "p50, p95, p99, p99.9, min, max or mean"
    case .dispersion, .herd: expected = "no aggregate: it is one number"
    case .later(let aggregates, _):
      expected = aggregates ? "p50, p95, p99, min, max, mean, count or rate" : "no aggregate"
    }
    return BudgetError(
      "\"\(aggregate)\" makes no sense for \"\(subject.phrase)\"", offset: aggregateOffset, expected: expected,
      suggestion: suggestion)
  }
}
