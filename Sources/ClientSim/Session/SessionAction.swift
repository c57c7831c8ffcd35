import Core

/// What a session wants done, in order.
public enum SessionAction: Sendable {
  /// Dial; answered by `opened` or `connectFailed`.
  case connect
  /// Send a text message.
  case send([UInt8])
  case ping([UInt8])
  /// Close in an orderly way; nothing more is heard of this connection.
  case close(code: UInt16, reason: String)
  /// End the connection at once, or give up the attempt; nothing more is heard of it.
  case abort
  /// Arm a timer, which moves it if it is armed.
  case arm(SessionTimer, at: Instant)
  case disarm(SessionTimer)
  case measure(Measurement)
  case intent(Intent)
  /// Something went wrong that a report should count, under a short name that names no secret.
  case note(String)
  /// A call of the workload has its end: the closed loop that made it may go on.
  case finished(call: Int, isLost: Bool)
  /// The answer to an audit's query: the raw JSON of its value, or nil if it failed or will not come.
  case audited(id: Int, value: [UInt8]?)
}
