import Core
import Protocols

/// One query a client wants to be shown, and what it shows of it.
struct Subscription {
  enum State: UInt8 {
    /// Not sent on this connection.
    case idle
    /// Sent, and no update came yet.
    case sent
    /// At least one update came on this connection.
    case live
  }

  /// The number its updates carry.
  let id: Int64
  let wanted: SubscriptionKey
  let hash: UInt64
  var state = State.idle
  /// When it was sent on this connection.
  var intended: Instant
  /// What is shown: live, or from the cache.
  var value: SharedValue?
  /// The last live value, which outlives a restart: the instrument's memory, not the client's.
  var seen: SharedValue?

  var isLive: Bool { state == .live }

  init(id: Int64, _ wanted: SubscriptionKey, at now: Instant) {
    self.id = id
    self.wanted = wanted
    hash = wanted.hash
    intended = now
  }

  /// `{"type":"sub",…}`; the arguments are canonical JSON already.
  var message: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64 + wanted.path.utf8.count + wanted.arguments.utf8.count)
    bytes.append(json: #"{"type":"sub","id":"#)
    bytes.append(number: id)
    bytes.append(json: #","path":"#)
    bytes.append(jsonString: wanted.path)
    bytes.append(json: #","args":"#)
    bytes.append(contentsOf: wanted.arguments.utf8)
    bytes.append(json: "}")
    return bytes
  }
}
