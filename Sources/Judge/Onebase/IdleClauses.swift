import Core
import Protocols

/// OB-S2: a server closes a connection that is silent for too long, and only then.
struct IdleConnectionIsClosed: TallyingClause {
  static let info = ClauseInfo(
    "OB-S2", .server, .connection, "An idle connection is closed after 120 s, and not before.")
  static let topics: Topics = []

  var tally = Tally()
  private let timeout: Duration
  private let shortest: Duration
  private let longest: Duration
  /// The first close that came early, after this silence: one may have any reason, a second alike shows a timer.
  private var early: (silence: Duration, at: Instant)?
  /// A close after a shorter silence is no idle close by any reading.
  private static let leastSilence = Duration.seconds(20)

  init(_ options: JudgeOptions) {
    timeout = options.idleTimeout
    shortest = options.idleTimeout * 0.95
    longest = options.idleTimeout * 1.05
  }

  var tolerance: String { "\(Quantity.text(timeout)) ± 5 % without a frame either way" }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    let view = scene.connections[place.connection].far
    guard let opened = view.opened else { return }
    let last = view.lastFrame ?? opened
    let close = view.closing ?? time
    let byServer = view.serverClosed && !view.clientClosed || view.closing == nil && view.ended?.by == .server
    if let long = view.longestSilence, long.to - long.from > longest {
      return overdue(long.from, long.to, place, &scene)
    }
    let silence = close - last
    if silence > longest { return overdue(last, close, place, &scene) }
    if byServer, !cut {
      if silence >= shortest { return tally.kept() }
      if silence >= Self.leastSilence { return closedEarly(silence, close, place, &scene) }
    }
    // It lived past the timeout because it was not silent.
    if close - opened > longest { tally.kept() }
  }

  private mutating func overdue(_ from: Instant, _ to: Instant, _ place: Place, _ scene: inout Scene) {
    guard scene.windows.clear(.messages, from, to) > longest else {
      return tally.doubted("a fault or a stall lay over a long silence", at: to)
    }
    violate(
      "a connection without a frame for \(Quantity.text(to - from)) was not closed; "
        + "\(Quantity.text(timeout)) ± 5 % is expected", at: to, place, &scene, severity: (to - from).inSeconds)
  }

  private mutating func closedEarly(_ silence: Duration, _ close: Instant, _ place: Place, _ scene: inout Scene) {
    guard let early else {
      self.early = (silence, close)
      return tally.doubted("a server's close after a shorter silence may have had another reason", at: close)
    }
    // Alike silences that end at different times point to a timer; all at once, to a restart.
    guard abs((silence - early.silence).inSeconds) <= early.silence.inSeconds * 0.05,
      abs((close - early.at).inSeconds) > 1
    else { return tally.doubted("a server's close after a shorter silence may have had another reason", at: close) }
    violate(
      "connections are closed after \(Quantity.text(silence)) without a frame; \(Quantity.text(timeout)) ± 5 % is expected",
      at: close, place, &scene, severity: (timeout - silence).inSeconds)
  }
}

/// OB-S14: a server that limits says for how long.
struct RateLimitNamesItsEnd: TallyingClause {
  static let info = ClauseInfo(
    "OB-S14", .server, .connection, sources: [.http],
    "A 429 carries a Retry-After that parses (seconds or date).")
  static let topics: Topics = [.http, .upgradeResponse]

  var tally = Tally()

  init(_ options: JudgeOptions) {}

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    let headers: [HeaderField]
    switch observation.event {
    case .http(let exchange) where exchange.status == 429: headers = exchange.responseHeaders
    // As the server sent it: what the proxy answered itself was not seen at the server's side.
    case .upgradeResponse(let response) where response.status == 429 && observation.side == .upstream:
      headers = response.headers
    default: return
    }
    guard let field = headers.first(where: { $0.name.lowercased() == "retry-after" }) else {
      return violate("a 429 carries no Retry-After", at: observation.time, place, &scene)
    }
    if Self.parses(field.value) {
      tally.kept(faults: observation.faults)
    } else {
      violate(
        "a 429 carries a Retry-After that is neither seconds nor a date: \"\(PrintableText.of(String(field.value.prefix(40))))\"",
        at: observation.time, place, &scene, faults: observation.faults)
    }
  }

  /// Seconds, or an HTTP date (RFC 9110 5.6.7; the form that servers must send).
  static func parses(_ value: String) -> Bool {
    let text = value.split(separator: " ", omittingEmptySubsequences: true)
    if text.count == 1 { return text[0].utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard text.count == 6, text[5] == "GMT", text[0].hasSuffix(","),
      ["Mon,", "Tue,", "Wed,", "Thu,", "Fri,", "Sat,", "Sun,"].contains(text[0]),
      let day = Int(text[1]), (1...31).contains(day), let year = Int(text[3]), year >= 1970,
      ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].contains(text[2])
    else { return false }
    let clock = text[4].split(separator: ":", omittingEmptySubsequences: false).compactMap { Int($0) }
    return clock.count == 3 && (0...23).contains(clock[0]) && (0...59).contains(clock[1]) && (0...60).contains(clock[2])
  }
}
