import Core

/// How a client's connection came to its end: what decides whether it should come back.
enum Departure: Int, CaseIterable, Sendable {
  case reset, fin, closeFrame, refusal, silence, ownAbort, ownClose

  /// For sentences: after …
  var words: String {
    switch self {
    case .reset: "RST"
    case .fin: "FIN"
    case .closeFrame: "close frame"
    case .refusal: "failed attempt"
    case .silence: "silence"
    case .ownAbort: "an end of its own without a clean close"
    case .ownClose: "clean close of its own"
    }
  }

  /// The client did not ask for it.
  var isUnwanted: Bool {
    switch self {
    case .reset, .fin, .closeFrame, .refusal: true
    case .silence, .ownAbort, .ownClose: false
    }
  }

  /// A connection that is over at the client's side.
  init(_ connection: Scene.ConnectionState, at time: Instant) {
    let view = connection.near
    if view.opened == nil { self = .refusal; return }
    let isOwn = view.clientClosed && !view.serverClosed || !view.serverClosed && view.ended?.by == .client
    if view.closedFirst == .down {
      self = .closeFrame
    } else if isOwn || view.closedFirst == .up {
      if connection.silence.waited(at: view.closing ?? time) >= Quiet.patience {
        self = .silence
      } else {
        self = view.closedFirst == .up && view.hasClosedCleanly ? .ownClose : .ownAbort
      }
    } else {
      self = view.ended?.how == .fin ? .fin : .reset
    }
  }
}
