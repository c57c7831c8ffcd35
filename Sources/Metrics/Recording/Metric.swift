/// What is measured: a named series of durations or counts, in the words of the report, of budgets and of the docs.
///
/// A new one is a static here and a row in `definitions` at its slot; nothing else has to change.
public struct Metric: Hashable, Sendable, CustomStringConvertible {
  /// What a metric's values are.
  public enum Unit: String, Hashable, Sendable { case duration, count }

  struct Definition: Sendable {
    var name: String
    var unit: Unit
    /// Kept apart per attempt number.
    var perAttempt = false
    var meaning: String
  }

  /// Its place in tables that are indexed by metric.
  public let slot: Int
  private init(slot: Int) { self.slot = slot }

  public static let connect = Metric(slot: 0)
  public static let auth = Metric(slot: 1)
  public static let subscribe = Metric(slot: 2)
  public static let call = Metric(slot: 3)
  public static let callService = Metric(slot: 4)
  public static let transition = Metric(slot: 5)
  public static let propagation = Metric(slot: 6)
  public static let propagationLast = Metric(slot: 7)
  public static let heartbeat = Metric(slot: 8)
  public static let detection = Metric(slot: 9)
  public static let offline = Metric(slot: 10)
  public static let attempts = Metric(slot: 11)
  public static let backoffScheduled = Metric(slot: 12)
  public static let backoffObserved = Metric(slot: 13)
  public static let loopLag = Metric(slot: 14)

  static let definitions: [Definition] = [
    Definition(name: "connect", unit: .duration, meaning: "From the first SYN of an attempt to the answered upgrade."),
    Definition(name: "auth", unit: .duration, meaning: "From the auth message to its reply."),
    Definition(
      name: "subscribe", unit: .duration, meaning: "From a subscription's intended send to its first update."),
    Definition(name: "call", unit: .duration, meaning: "From a call's intended send to its result."),
    Definition(
      name: "call.service", unit: .duration, meaning: "From a call's actual send to its result: the server's part."),
    Definition(
      name: "transition", unit: .duration,
      meaning: "From a mutation's intended send to the transition that carries its result."),
    Definition(
      name: "propagation", unit: .duration,
      meaning: "From a mutation's intended send to the update that shows it at another subscriber."),
    Definition(
      name: "propagation.last", unit: .duration,
      meaning: "From a mutation's intended send until the last of its subscribers shows it."),
    Definition(name: "heartbeat", unit: .duration, meaning: "From a ping or protocol heartbeat to its answer."),
    Definition(
      name: "detection", unit: .duration,
      meaning: "From a fault's application to a client until it closes or notices that the connection is gone."),
    Definition(
      name: "offline", unit: .duration, meaning: "From a client's drop until everything it wants is live again."),
    Definition(name: "attempts", unit: .count, meaning: "How many attempts a reconnect took."),
    Definition(
      name: "backoff.scheduled", unit: .duration, perAttempt: true,
      meaning: "The pause a client planned before an attempt, per attempt number."),
    Definition(
      name: "backoff.observed", unit: .duration, perAttempt: true,
      meaning: "The pause from the drop or failure as the client sees it to its next SYN, per attempt number."),
    Definition(
      name: "loopLag", unit: .duration, meaning: "How late the generator's own event loop ran what was due."),
  ]

  /// All metrics, in the order of reports.
  public static let all: [Metric] = definitions.indices.map { Metric(slot: $0) }

  /// The metric with this name; nil for an unknown one.
  public init?(named name: String) {
    guard let slot = Self.definitions.firstIndex(where: { $0.name == name }) else { return nil }
    self.slot = slot
  }

  /// The word for it everywhere.
  public var name: String { Self.definitions[slot].name }
  public var unit: Unit { Self.definitions[slot].unit }
  /// What it is, in one sentence.
  public var meaning: String { Self.definitions[slot].meaning }
  /// Whether its samples are kept apart per attempt number (1 to `highestAttempt`).
  public var isPerAttempt: Bool { Self.definitions[slot].perAttempt }
  public var description: String { name }

  /// Attempt numbers from this one on share one series.
  public static let highestAttempt = 32
}

/// A metric, and the attempt number where it is kept apart per attempt: what one histogram is of.
public struct Series: Hashable, Sendable, CustomStringConvertible {
  public let metric: Metric
  /// From 1 to `Metric.highestAttempt`; nil where the metric is not kept apart.
  public let attempt: Int?
  /// Its place in tables that are indexed by series.
  let slot: Int

  /// The series of a metric: of attempt 1 when it is kept apart and no number is given. Numbers out of range take the
  /// nearest one in it.
  public init(_ metric: Metric, attempt: Int? = nil) {
    self.metric = metric
    let block = Self.blocks[metric.slot]
    guard block >= 0 else {
      self.attempt = nil
      slot = metric.slot
      return
    }
    let number = min(max(attempt ?? 1, 1), Metric.highestAttempt)
    self.attempt = number
    slot = block + number - 1
  }

  /// Where each metric's block of attempt numbers begins; -1 for metrics that are not kept apart.
  private static let blocks: [Int] = {
    var next = Metric.definitions.count
    return Metric.definitions.map { definition in
      guard definition.perAttempt else { return -1 }
      defer { next += Metric.highestAttempt }
      return next
    }
  }()

  /// How many slots there are.
  static let count =
    Metric.definitions.count + Metric.definitions.count { $0.perAttempt } * Metric.highestAttempt

  /// The series of a metric: one, or one per attempt number.
  public static func all(of metric: Metric) -> [Series] {
    metric.isPerAttempt ? (1...Metric.highestAttempt).map { Series(metric, attempt: $0) } : [Series(metric)]
  }

  /// `call`, or `backoff.observed attempt 3`.
  public var description: String { attempt.map { "\(metric.name) attempt \($0)" } ?? metric.name }
}
