import Core

/// What it means that an answer has not come.
enum Silence {
  /// It was due, and nothing hid it.
  case missing
  /// It was not due yet.
  case cutOff
  /// A fault, a stall or broken bytes may have hidden it.
  case blurred

  var doubt: String {
    switch self {
    case .missing: ""
    case .cutOff: "connections ended while answers were not due yet"
    case .blurred: "a fault, a stall or broken bytes may have hidden answers"
    }
  }
}

extension Scene {
  /// Judges the wait for an answer from a server that ended without one.
  func silence(on view: ConnectionView, since: Instant, until: Instant) -> Silence {
    if view.isBroken || view.hasOverflowed { return .blurred }
    if until - since <= options.answerBound { return .cutOff }
    return windows.clear(.messages, since, until) > options.answerBound ? .missing : .blurred
  }
}

extension TallyingClause {
  /// Counts an answer that had not come when the connection ended.
  mutating func unanswered(
    _ what: @autoclosure () -> String, since: Instant, until: Instant, _ place: Place, _ scene: inout Scene
  ) {
    let silence = scene.silence(on: scene.connections[place.connection].far, since: since, until: until)
    guard silence == .missing else { return tally.doubted(silence.doubt, at: until) }
    let waited = until - since
    violate(
      "\(what()) has no answer after \(Quantity.text(waited)) on a connection that lived", at: until, place, &scene,
      severity: waited.inSeconds)
  }
}
