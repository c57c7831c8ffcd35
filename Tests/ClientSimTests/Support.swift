import Core
import JSON
import Metrics
import Protocols

@testable import ClientSim

/// Drives a session by hand: events in, actions out, at times the test says.
struct Driven<Session: ClientSession> {
  var session: Session
  var now = Instant.zero
  /// What the last event led to.
  var actions: [SessionAction] = []
  /// Everything since the beginning.
  var history: [SessionAction] = []

  init(_ plan: FleetPlan, client: UInt32 = 0, token: String? = nil, seed: UInt64 = 1) {
    session = Session(SessionContext(client: ClientID(client), plan: plan, seed: seed, runTag: 7, token: token))
  }

  mutating func give(_ event: SessionEvent, after pause: Duration = .zero) {
    now += pause
    actions = []
    session.handle(event, at: now, into: &actions)
    history += actions
  }

  /// A message of a onebase server.
  mutating func receive(_ text: String, after pause: Duration = .zero) {
    give(.message(Self.message(text)), after: pause)
  }

  static func message(_ text: String) -> WireMessage {
    let payload = Array(text.utf8)
    let facts = ProtocolName.onebase.classifier.facts(isText: true, payload: payload, direction: .down)
    return WireMessage(payload: payload, facts: facts)
  }

  /// Starts, opens and is authenticated.
  mutating func becomeReady(subject: String? = nil) {
    give(.start)
    give(.opened)
    authenticate(subject: subject)
  }

  mutating func authenticate(subject: String? = nil) {
    receive(#"{"type":"auth","ok":true,"identity":\#(subject.map { #"{"subject":"\#($0)"}"# } ?? "null")}"#)
  }

  /// Lets the pause pass and opens again.
  mutating func reopen() {
    now = reconnectAt ?? now
    give(.timer(.reconnect))
    give(.opened)
  }

  var sent: [String] { Self.sent(actions) }
  var allSent: [String] { Self.sent(history) }
  static func sent(_ actions: [SessionAction]) -> [String] {
    actions.compactMap { if case .send(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
  }
  /// The `type` of each message sent.
  var sentTypes: [String] { sent.map(typeOf) }

  var measured: [Measurement] { Self.measured(actions) }
  var allMeasured: [Measurement] { Self.measured(history) }
  static func measured(_ actions: [SessionAction]) -> [Measurement] {
    actions.compactMap { if case .measure(let measurement) = $0 { measurement } else { nil } }
  }
  var intents: [Intent] { actions.compactMap { if case .intent(let intent) = $0 { intent } else { nil } } }
  var allIntents: [Intent] { history.compactMap { if case .intent(let intent) = $0 { intent } else { nil } } }
  var notes: [String] { actions.compactMap { if case .note(let note) = $0 { note } else { nil } } }
  var dials: Int { actions.count { if case .connect = $0 { true } else { false } } }
  var aborts: Int { actions.count { if case .abort = $0 { true } else { false } } }

  /// When the timer is armed for, by all that happened.
  func armed(_ timer: SessionTimer) -> Instant? {
    var armed: Instant?
    for action in history {
      switch action {
      case .arm(timer, let at): armed = at
      case .disarm(timer): armed = nil
      default: break
      }
    }
    return armed
  }
  var reconnectAt: Instant? { armed(.reconnect) }
}

enum Make {
  static func template(_ text: String) -> ArgumentsTemplate {
    let (value, diagnostics) = LocatedJSON.read(text)
    guard let value else { return ArgumentsTemplate() }
    return ArgumentsTemplate(value, diagnostics: diagnostics)
  }

  static func subscription(_ path: String = "notes:list", _ arguments: String = "{room: 'a'}") -> SubscriptionPlan {
    SubscriptionPlan(path: path, arguments: template(arguments))
  }

  static func call(
    _ kind: OnebaseCallKind = .mutation, path: String = "notes:add",
    arguments: String = "{room: 'a', text: '{marker}'}",
    pace: CallPlan.Pace = .constant(perSecond: 1), deadline: Duration = .seconds(10), size: Int = 100
  ) -> CallPlan {
    let template = template(arguments)
    let seenBy = SeenBy(path: "notes:list", keys: ["room"], of: template).map { [$0] } ?? []
    return CallPlan(
      index: 0, kind: kind, path: path, arguments: template, pace: pace, deadline: deadline, size: size, seenBy: seenBy)
  }

  /// A call as the workload would make it: the marker's sequence, when it was meant, which client makes it.
  static func request(
    _ sequence: UInt32, at intended: Instant = .zero, _ kind: OnebaseCallKind = .mutation, client: UInt32 = 0
  ) -> CallRequest {
    let marker = Marker(run: 7, client: ClientID(client), sequence: sequence, sent: intended)
    let arguments = #"{"room":"a","text":"\#(marker)"}"#
    return CallRequest(
      plan: call(kind), arguments: Array(arguments.utf8), marker: marker, intended: intended,
      seenBy: [SubscriptionKey(path: "notes:list", arguments: #"{"room":"a"}"#).hash])
  }

  /// The value of `notes:list` with these notes.
  static func value(_ markers: [Marker]) -> String {
    #"{"room":"a","notes":[\#(markers.map { #"{"text":"\#($0)"}"# }.joined(separator: ","))]}"#
  }
}

extension Measurement {
  var isLost: Bool { if case .callLost = self { true } else { false } }
  var isOut: Bool { if case .callOut = self { true } else { false } }
  var isAnswered: Bool { if case .callAnswered = self { true } else { false } }
}

/// The `type` of a message.
func typeOf(_ text: String) -> String { (try? JSONValue.parse(text))?["type"]?.string ?? "?" }
