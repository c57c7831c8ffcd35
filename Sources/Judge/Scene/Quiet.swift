import Core

/// Since when a connection has been silent for its client although it should not be.
struct Quiet: Sendable {
  /// Since when nothing reached the client although a ping of its own wants an answer, or something that the server
  /// sent was swallowed or held on the way.
  private(set) var hushed: Instant?
  /// When the first ping or heartbeat was sent that has no answer, whatever else came.
  private(set) var unanswered: Instant?

  /// A client that closes after such a wait closes for it, not because it has done its work.
  static let patience = Duration.seconds(1)

  mutating func hear(_ observation: Observation, isPing: Bool, isAnswer: Bool) {
    switch (observation.side, observation.direction) {
    case (.client, .down):
      guard observation.disposition != .dropped else { return }
      hushed = nil
      if isAnswer { unanswered = nil }
    case (.client, .up):
      guard isPing else { return }
      if hushed == nil { hushed = observation.time }
      if unanswered == nil { unanswered = observation.time }
    case (.upstream, .down):
      // What goes on at once reaches the client's side with the next observation.
      let isLost =
        observation.disposition == .dropped || observation.otherSideTime == nil && !observation.faults.isEmpty
      if isLost, observation.disposition != .injected, hushed == nil { hushed = observation.time }
    case (.upstream, .up): break
    }
  }

  /// How long the client has waited at `time`.
  func waited(at time: Instant) -> Duration {
    let since = [hushed, unanswered].compactMap { $0 }.min()
    return since.map { time - $0 } ?? .zero
  }
}
