import Core
import JSON
import Protocols

/// One channel that a client wants: whether it is on it, and the state it was told.
struct PalbaseChannel {
  enum Membership: Equatable {
    /// Not joined, and nothing is under way; it is joined when the socket opens.
    case out
    /// The join with this ref was sent, and not answered.
    case joining(ref: Int64)
    /// Refused for a passing reason; asked again at that time.
    case retrying(at: Instant)
    case joined
  }

  let topic: String
  /// The topic's hash: what propagation is counted by.
  let key: UInt64
  /// Stands for it in measurements; kept while it is wanted.
  let place: Int
  var membership = Membership.out
  /// When the join was meant to be sent, on this connection.
  var intended: Instant
  /// The ref of the join that holds.
  var joinRef: PalbaseRef?
  /// How often it was refused for a passing reason since it was last joined.
  var refusals = 0

  /// The state as the server last told it.
  private(set) var entries: [String: PalbaseEntry] = [:]
  /// Nil before the first whole state.
  private(set) var version: Int64?
  /// Whether a change was missed and the whole state was asked for.
  var asksForState = false

  init(topic: String, place: Int, at now: Instant) {
    self.topic = topic
    self.place = place
    intended = now
    key = Self.key(topic)
  }

  static func key(_ topic: String) -> UInt64 { SubscriptionKey(path: topic, arguments: "").hash }

  var isJoined: Bool { membership == .joined }

  /// The whole state has come.
  mutating func take(entries: [String: PalbaseEntry], version: Int64) {
    self.entries = entries
    self.version = version
    asksForState = false
  }

  /// A change has come. False if one before it was missed.
  mutating func take(change key: String, _ entry: PalbaseEntry?, version: Int64) -> Bool {
    // Without a whole state there is nothing to change: it is on its way.
    guard let known = self.version, !asksForState else { return true }
    if version <= known { return true }
    guard known < .max, version == known + 1 else { return false }
    entries[key] = entry
    self.version = version
    return true
  }

  /// The membership is over, and what was known of the state with it.
  mutating func forget() {
    membership = .out
    joinRef = nil
    entries = [:]
    version = nil
    asksForState = false
  }
}
