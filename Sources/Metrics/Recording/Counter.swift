/// What is counted: named totals, in the words of the report, of budgets and of the docs.
///
/// A new one is a static here and a row in `definitions` at its slot.
public struct Counter: Hashable, Sendable, CustomStringConvertible {
  struct Definition: Sendable {
    var name: String
    /// Counts bytes, not things.
    var isBytes = false
    var meaning: String
  }

  /// Its place in tables that are indexed by counter.
  public let slot: Int
  private init(slot: Int) { self.slot = slot }

  // Every call is answered, late, lost or out: intended = answered + late + lost + out.
  public static let calls = Counter(slot: 0)
  public static let callsSent = Counter(slot: 1)
  public static let callsAnswered = Counter(slot: 2)
  public static let callsLate = Counter(slot: 3)
  public static let callsLost = Counter(slot: 4)
  public static let callsOut = Counter(slot: 5)
  public static let callsFailed = Counter(slot: 6)
  public static let subscriptions = Counter(slot: 7)
  public static let messagesIn = Counter(slot: 8)
  public static let messagesOut = Counter(slot: 9)
  public static let bytesIn = Counter(slot: 10)
  public static let bytesOut = Counter(slot: 11)
  public static let drops = Counter(slot: 12)
  public static let reconnects = Counter(slot: 13)
  public static let attempts = Counter(slot: 14)
  public static let refusals = Counter(slot: 15)
  public static let errors = Counter(slot: 16)
  public static let propagationExpected = Counter(slot: 17)
  public static let propagationSeen = Counter(slot: 18)
  public static let propagationLost = Counter(slot: 19)
  public static let clients = Counter(slot: 20)

  static let definitions: [Definition] = [
    Definition(name: "calls", meaning: "Calls that were meant to be sent."),
    Definition(name: "calls sent", meaning: "Calls that were sent."),
    Definition(name: "calls answered", meaning: "Calls answered in time, with a result or an error."),
    Definition(name: "calls late", meaning: "Calls answered after the deadline (10 s unless the fleet says)."),
    Definition(name: "calls lost", meaning: "Calls whose answer will never come."),
    Definition(name: "calls out", meaning: "Calls still without an answer when the run ended."),
    Definition(name: "calls failed", meaning: "Calls answered with an error, in time or late."),
    Definition(name: "subscriptions", meaning: "Subscriptions that were sent."),
    Definition(name: "messages in", meaning: "Messages clients received."),
    Definition(name: "messages out", meaning: "Messages clients sent."),
    Definition(name: "bytes in", isBytes: true, meaning: "Payload bytes clients received."),
    Definition(name: "bytes out", isBytes: true, meaning: "Payload bytes clients sent."),
    Definition(name: "drops", meaning: "Connections that ended without the client asking."),
    Definition(name: "reconnects", meaning: "Times a socket opened again after it had been open."),
    Definition(name: "attempts", meaning: "Attempts to connect."),
    Definition(name: "refusals", meaning: "Attempts, upgrades or messages the server refused."),
    Definition(name: "errors", meaning: "Errors by name, all together."),
    Definition(name: "propagation expected", meaning: "Updates expected at other subscribers, counted at send."),
    Definition(name: "propagation seen", meaning: "Expected updates that came."),
    Definition(name: "propagation lost", meaning: "Expected updates that had not come when the run ended."),
    Definition(name: "clients", meaning: "Clients that were started."),
  ]

  /// All counters, in the order of reports.
  public static let all: [Counter] = definitions.indices.map { Counter(slot: $0) }
  static let count = definitions.count

  /// The counter with this name; nil for an unknown one.
  public init?(named name: String) {
    guard let slot = Self.definitions.firstIndex(where: { $0.name == name }) else { return nil }
    self.slot = slot
  }

  /// The word for it everywhere.
  public var name: String { Self.definitions[slot].name }
  /// Whether it counts bytes rather than things.
  public var isBytes: Bool { Self.definitions[slot].isBytes }
  /// What it is, in one sentence.
  public var meaning: String { Self.definitions[slot].meaning }
  public var description: String { name }

  /// What had the chance to be counted here: nothing lost of nothing sent proves nothing. Nil where the chance is that
  /// a client was there at all.
  public var opportunity: Counter? {
    switch self {
    case .callsSent, .callsAnswered, .callsLate, .callsLost, .callsOut, .callsFailed: .calls
    case .propagationSeen, .propagationLost: .propagationExpected
    default: nil
    }
  }
}
