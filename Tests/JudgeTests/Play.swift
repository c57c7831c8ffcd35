import Core
import JSON
import Protocols

@testable import Judge

/// Tells a judge of a run as a proxy would, so that a test reads as what happened.
///
/// Times are seconds since the epoch; every step takes place at `now`. Connections are numbers, and belong to client 7
/// unless told otherwise.
struct Play {
  var judge: Judge
  var now: Double = 0
  private var clients: [UInt64: ClientID] = [:]
  private let classifier: any MessageClassifier

  init(
    _ clauses: any Clause.Type..., speaking name: ProtocolName = .onebase, faults: [String] = [],
    options: JudgeOptions = JudgeOptions()
  ) {
    var options = options
    options.faultKinds = faults
    classifier = name.classifier
    judge = Judge(protocol: name, options: options, clauses: clauses)
  }

  // MARK: - Time

  mutating func at(_ seconds: Double) { now = seconds }
  mutating func after(_ seconds: Double) { now += seconds }

  // MARK: - Connections

  /// A TCP connection is accepted.
  mutating func attempt(_ connection: UInt64, client: UInt32? = 7) {
    clients[connection] = client.map { ClientID($0) }
    emit(connection, .client, .up, .attempt)
  }

  /// A connection is accepted, reaches the server, and is upgraded.
  mutating func connect(_ connection: UInt64, client: UInt32? = 7) {
    attempt(connection, client: client)
    emit(connection, .upstream, .up, .upstreamConnected)
    let switching = Observation.Event.upgradeResponse(UpgradeResponse(status: 101, headers: []))
    emit(connection, .upstream, .down, switching)
    emit(connection, .client, .down, switching)
  }

  /// The connection ends on both sides.
  mutating func drop(_ connection: UInt64, by: Ending.By = .proxy, how: Ending.How = .reset) {
    emit(connection, .client, by == .client ? .up : .down, .ended(Ending(how, by: by)))
    emit(connection, .upstream, by == .client ? .up : .down, .ended(Ending(how, by: by)))
  }

  /// An attempt that is accepted and fails `lasting` seconds later.
  mutating func failedAttempt(_ connection: UInt64, client: UInt32? = 7, lasting: Double = 0) {
    attempt(connection, client: client)
    now += lasting
    emit(connection, .client, .down, .ended(Ending(.reset, by: .proxy)))
  }

  // MARK: - Messages

  mutating func client(_ message: OnebaseClientMessage, on connection: UInt64 = 1) {
    client(raw: String(decoding: message.encoded, as: UTF8.self), on: connection)
  }

  mutating func client(raw text: String, on connection: UInt64 = 1, isText: Bool = true) {
    let event = message(text, .up, isText: isText)
    emit(connection, .client, .up, event)
    emit(connection, .upstream, .up, event)
  }

  /// The client sends it, and a fault swallows it.
  mutating func clientInVain(_ message: OnebaseClientMessage, on connection: UInt64 = 1) {
    let text = String(decoding: message.encoded, as: UTF8.self)
    emit(connection, .client, .up, self.message(text, .up), .dropped)
  }

  mutating func server(_ message: OnebaseServerMessage, on connection: UInt64 = 1) {
    server(raw: String(decoding: message.encoded, as: UTF8.self), on: connection)
  }

  mutating func server(raw text: String, on connection: UInt64 = 1) {
    let event = message(text, .down)
    emit(connection, .upstream, .down, event)
    emit(connection, .client, .down, event)
  }

  /// The server sends it, and a fault swallows it.
  mutating func serverInVain(_ message: OnebaseServerMessage, on connection: UInt64 = 1) {
    serverInVain(raw: String(decoding: message.encoded, as: UTF8.self), on: connection)
  }

  mutating func serverInVain(raw text: String, on connection: UInt64 = 1) {
    emit(connection, .upstream, .down, self.message(text, .down), .dropped)
  }

  private func message(_ text: String, _ direction: Direction, isText: Bool = true) -> Observation.Event {
    let payload = Array(text.utf8)
    let facts = classifier.facts(isText: isText, payload: payload, direction: direction)
    return .message(WireMessage(isText: isText, payload: payload, facts: facts))
  }

  /// Connects, says who it is, and is answered.
  mutating func join(_ connection: UInt64, client: UInt32? = 7, token: String? = nil) {
    connect(connection, client: client)
    self.client(.auth(token: token), on: connection)
    server(.authenticated(identity: nil), on: connection)
  }

  mutating func ping(_ payload: [UInt8] = [1], on connection: UInt64 = 1) { both(connection, .up, .ping(payload)) }
  mutating func pong(_ payload: [UInt8] = [1], on connection: UInt64 = 1) { both(connection, .down, .pong(payload)) }
  mutating func serverPing(on connection: UInt64 = 1) { both(connection, .down, .ping([])) }
  mutating func clientPong(on connection: UInt64 = 1) { both(connection, .up, .pong([])) }
  mutating func closeFrame(_ direction: Direction, code: UInt16? = 1000, on connection: UInt64 = 1) {
    both(connection, direction, .closeFrame(code: code, reason: ""))
  }

  /// The client closes as it should, and TCP ends.
  mutating func closeCleanly(_ connection: UInt64 = 1, code: UInt16? = 1000) {
    closeFrame(.up, code: code, on: connection)
    closeFrame(.down, code: code, on: connection)
    drop(connection, by: .client, how: .fin)
  }

  /// An attempt whose upgrade is refused, with header fields.
  mutating func refusedAttempt(_ connection: UInt64, _ status: Int, client: UInt32? = 7, _ headers: HeaderField...) {
    attempt(connection, client: client)
    emit(connection, .client, .down, .upgradeResponse(UpgradeResponse(status: status, headers: headers)))
    emit(connection, .client, .down, .ended(Ending(.fin, by: .server)))
  }

  /// The server pongs, and a fault swallows it.
  mutating func pongInVain(_ payload: [UInt8] = [1], on connection: UInt64 = 1) {
    emit(connection, .upstream, .down, .pong(payload), .dropped)
  }

  private mutating func both(_ connection: UInt64, _ direction: Direction, _ event: Observation.Event) {
    let sides: [Side] = direction == .up ? [.client, .upstream] : [.upstream, .client]
    for side in sides { emit(connection, side, direction, event) }
  }

  // MARK: - Beside the wire

  mutating func intends(_ intent: Intent, client: UInt32 = 7) {
    judge.observe(
      Observation(
        time: .seconds(now), connection: ConnectionID(rawValue: 0), client: ClientID(client), side: .client,
        direction: .up, source: .intent, event: .intent(intent)))
  }

  mutating func fault(_ ordinal: Int, _ edge: FaultEdge.Edge) {
    beside(.fault, .fault(FaultEdge(ordinal: ordinal, edge: edge)))
  }

  mutating func run(_ event: RunEvent) { beside(.run, .run(event)) }
  mutating func audit(_ answer: AuditAnswer) { beside(.audit, .audit(answer)) }
  mutating func http(_ exchange: HTTPExchange) { beside(.http, .http(exchange)) }

  mutating func beside(_ source: Observation.Source, _ event: Observation.Event) {
    judge.observe(
      Observation(
        time: .seconds(now), connection: ConnectionID(rawValue: 0), side: .client, direction: .up, source: source,
        event: event))
  }

  mutating func emit(
    _ connection: UInt64, _ side: Side, _ direction: Direction, _ event: Observation.Event,
    _ disposition: Observation.Disposition = .passed
  ) {
    judge.observe(
      Observation(
        time: .seconds(now), otherSideTime: disposition == .passed ? .seconds(now) : nil,
        connection: ConnectionID(loop: 0, ordinal: connection), client: clients[connection], side: side,
        direction: direction, disposition: disposition, event: event))
  }

  // MARK: - Verdicts

  /// Ends the run and answers the first clause's finding.
  mutating func finding() -> ClauseFinding {
    judge.finish(at: .seconds(now))
    return judge.findings[0]
  }

  mutating func verdict() -> Verdict { finding().verdict }
}

/// Messages in few words.
extension OnebaseClientMessage {
  static func sub(_ id: Int64, _ path: String = "notes:list", room: Int64 = 0) -> Self {
    .subscribe(id: id, path: path, arguments: ["room": .integer(room)])
  }
  static func add(_ request: Int64, _ marker: Marker? = nil) -> Self {
    .call(
      requestId: request, kind: .mutation, path: "notes:add",
      arguments: ["text": .string(marker?.description ?? "hello")])
  }
}

extension OnebaseServerMessage {
  static func shows(_ id: Int64, _ markers: Marker...) -> Self { .update(.shows(id, markers)) }
  static func answers(_ request: Int64) -> Self { .result(.answers(request)) }
  static func fails(_ id: Int64) -> Self {
    .update(OnebaseUpdate(id: id, outcome: .failed(error: "Server Error", data: nil)))
  }
  static func together(_ updates: [OnebaseUpdate], _ results: [OnebaseResult]) -> Self {
    .transition(updates: updates, results: results)
  }
}

extension OnebaseUpdate {
  static func shows(_ id: Int64, _ markers: [Marker]) -> Self {
    OnebaseUpdate(
      id: id, outcome: .ok(value: ["notes": .array(markers.map { ["text": .string($0.description)] })]))
  }
}

extension OnebaseResult {
  static func answers(_ request: Int64) -> Self { OnebaseResult(requestId: request, outcome: .ok(value: "m1")) }
}

/// The marker of client 7's mutation of this number.
func marker(_ sequence: UInt32, client: UInt32 = 7) -> Marker {
  Marker(run: 1, client: ClientID(client), sequence: sequence, sent: .zero)
}
