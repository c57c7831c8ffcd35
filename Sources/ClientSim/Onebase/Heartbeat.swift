import Core

/// The pings of one connection: a payload carries the time it was sent at, so that the answer tells how long it took.
struct Heartbeat {
  /// The ping that is not answered yet.
  private(set) var unanswered: Instant?

  mutating func startOver() { unanswered = nil }

  /// The payload of a ping sent now.
  mutating func ping(at now: Instant) -> [UInt8] {
    unanswered = now
    return withUnsafeBytes(of: now.nanoseconds.bigEndian) { [UInt8]($0) }
  }

  /// How long the answered ping took; nil for a pong that answers none, or an older one than the last.
  mutating func answered(_ payload: [UInt8], at now: Instant) -> Duration? {
    guard let sent = unanswered, payload.count == 8 else { return nil }
    guard payload.reduce(UInt64(0), { $0 << 8 | UInt64($1) }) == UInt64(bitPattern: sent.nanoseconds) else {
      return nil
    }
    unanswered = nil
    return now - sent
  }
}
