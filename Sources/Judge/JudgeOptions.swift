import Core
import JSON

/// The numbers that clauses judge by; the protocol document's where it has them, else the catalogue's defaults.
public struct JudgeOptions: Hashable, Sendable {
  /// The longest a client may go without a frame (OB-C3).
  public var pingInterval: Duration = .seconds(60)
  /// The longest pause between two attempts (OB-C4, OB-C5).
  public var backoffCap: Duration = .seconds(60)
  /// The silence after which a server closes a connection (OB-S2).
  public var idleTimeout: Duration = .seconds(120)
  /// The longest a pong may take (OB-S1).
  public var replyBound: Duration = .seconds(5)
  /// How long an answer must be missing, on a connection that lives, before it counts as never given
  /// (OB-S3, OB-S4, OB-S7). One that comes late is an answer.
  public var answerBound: Duration = .seconds(10)
  /// How long after the auth reply a client may take to subscribe again (OB-C8).
  public var resubscribeBound: Duration = .seconds(5)
  /// How soon after an error update a change of its subscription counts as the client's reaction (OB-C13).
  public var errorReaction: Duration = .seconds(1)
  /// More attempts a second than these, sustained over `attemptWindow`, are no backoff (OB-C5).
  public var attemptsPerSecond = 5
  public var attemptWindow: Duration = .seconds(2)
  /// How many consecutive failed attempts OB-C5 needs.
  public var failuresForBackoff = 8
  /// The largest share of a fleet's first attempts within 100 ms that counts as dispersed (OB-C6).
  public var busiestShare = 0.5
  /// The smallest number of attempts whose dispersion is judged (OB-C6).
  public var attemptsForDispersion = 20

  /// How long a client may sit in front of a connection that has fallen silent (WS-C10).
  public var silenceBound: Duration = .seconds(75)
  /// How long a connection must have been open before backoff may start over (WS-C8).
  public var healthyOpen: Duration = .seconds(5)
  /// How many pauses a test of jitter needs (WS-C6, WS-C7).
  public var pausesForJitter = 8
  /// How often a Phoenix client sends its heartbeat (WS-C15, WS-C16).
  public var heartbeatInterval: Duration = .seconds(25)
  /// The pauses that a client is meant to make, the last one again and again; empty where no schedule is known (WS-C18).
  public var schedule: [Duration] = []
  /// How far jitter may take a pause from its schedule, as a share of it, either way (WS-C18).
  public var jitterBand = 0.5

  /// The kind of each fault by ordinal, a variant after a colon: `latency`, `refuse:closed`, …
  public var faultKinds: [String] = []
  /// Whether a SHOULD fails the run.
  public var strict = false

  public init() {}
}

extension JudgeOptions {
  /// Reads the numbers that a scenario overrides, as in `{ pingInterval: "30s", backoffCap: "30s" }`; defaults for the
  /// rest. Every mistake goes to `diagnostics`.
  public static func decode(_ value: LocatedValue?, diagnostics: Diagnostics) -> JudgeOptions {
    var options = JudgeOptions()
    guard let value else { return options }
    let section = SectionDecoder(value, what: "the clauses' tolerances", diagnostics: diagnostics)
    let range = Duration.milliseconds(1)...Duration.seconds(86_400)
    let durations: [(String, WritableKeyPath<JudgeOptions, Duration>)] = [
      ("pingInterval", \.pingInterval), ("backoffCap", \.backoffCap), ("idleTimeout", \.idleTimeout),
      ("replyBound", \.replyBound), ("answerBound", \.answerBound), ("resubscribeBound", \.resubscribeBound),
      ("errorReaction", \.errorReaction), ("silenceBound", \.silenceBound), ("healthyOpen", \.healthyOpen),
      ("heartbeatInterval", \.heartbeatInterval),
    ]
    for (key, path) in durations {
      if let duration = section.duration(key, in: range) { options[keyPath: path] = duration }
    }
    if let number = section.integer("attemptsPerSecond", in: 1...1_000) { options.attemptsPerSecond = number }
    if let number = section.integer("failuresForBackoff", in: 4...100) { options.failuresForBackoff = number }
    if let number = section.integer("attemptsForDispersion", in: 2...1_000_000) {
      options.attemptsForDispersion = number
    }
    if let share = section.share("busiestShare") { options.busiestShare = share }
    if let number = section.integer("pausesForJitter", in: 4...1_000) { options.pausesForJitter = number }
    if let share = section.share("jitterBand") { options.jitterBand = share }
    for element in section.array("schedule") ?? [] {
      guard let text = element.string, let pause = Quantity.duration(text), options.schedule.count < 64 else {
        diagnostics.error(
          at: element.location, "a pause of the schedule cannot be \(element.summary)",
          expected: Quantity.expectedDuration)
        continue
      }
      options.schedule.append(pause)
    }
    section.finish()
    return options
  }
}
