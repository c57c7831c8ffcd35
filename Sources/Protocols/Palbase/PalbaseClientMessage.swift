import Core
import JSON

/// A message from a client to a palbase server.
public struct PalbaseClientMessage: Equatable, Sendable {
  public enum Body: Equatable, Sendable {
    /// Joins the topic. `acknowledge`: broadcasts are to be replied to, which Phoenix clients can ask for.
    case join(token: String?, apiKey: String? = nil, acknowledge: Bool = false)
    case leave
    case heartbeat
    case broadcast(event: String, payload: JSONValue)
    /// A refreshed token for the topic; nil for none.
    case accessToken(String?)
    case stateSet(key: String, value: JSONValue, life: PalbaseLife)
    case stateDelete(key: String)
    case stateGet
  }

  public var topic: String
  public var ref: PalbaseRef?
  /// The ref of the topic's join; version 1 does not carry it.
  public var joinRef: PalbaseRef?
  public var body: Body

  public init(_ body: Body, topic: String, ref: PalbaseRef? = nil, joinRef: PalbaseRef? = nil) {
    self.topic = topic
    self.ref = ref
    self.joinRef = joinRef
    self.body = body
  }

  /// A heartbeat, on the topic that heartbeats go to.
  public static func heartbeat(ref: PalbaseRef) -> Self { Self(.heartbeat, topic: PalbaseTopic.heartbeat, ref: ref) }

  /// Appends the message as JSON text in UTF-8.
  public func encode(_ version: PalbaseVersion, wire: PalbaseWire = PalbaseWire(), into bytes: inout [UInt8]) {
    PalbaseText.append(
      version, joinRef: joinRef, ref: ref, topic: PalbaseText.quoted(topic), event: event(wire), to: &bytes
    ) { writePayload(into: &$0) }
  }

  /// The message as JSON text in UTF-8.
  public func encoded(_ version: PalbaseVersion = .object, wire: PalbaseWire = PalbaseWire()) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(160)
    encode(version, wire: wire, into: &bytes)
    return bytes
  }

  private func event(_ wire: PalbaseWire) -> String {
    switch body {
    case .join: "phx_join"
    case .leave: "phx_leave"
    case .heartbeat: "heartbeat"
    case .broadcast: "broadcast"
    case .accessToken: wire.accessToken
    case .stateSet: wire.stateSet
    case .stateDelete: wire.stateDelete
    case .stateGet: wire.stateGet
    }
  }

  private func writePayload(into bytes: inout [UInt8]) {
    switch body {
    case .leave, .heartbeat, .stateGet: bytes.append(json: "{}")
    case .join(let token, let apiKey, let acknowledge):
      bytes.append(json: "{")
      if let apiKey {
        bytes.append(json: #""apikey":"#)
        bytes.append(jsonString: apiKey)
        bytes.append(json: ",")
      }
      if let token {
        // Both names, as the SDK writes them.
        bytes.append(json: #""token":"#)
        bytes.append(jsonString: token)
        bytes.append(json: #","access_token":"#)
        bytes.append(jsonString: token)
        bytes.append(json: ",")
      }
      bytes.append(json: #""config":{"broadcast":{"self":false,"ack":"#)
      bytes.append(json: acknowledge ? "true" : "false")
      bytes.append(json: #"},"presence":{"enabled":false,"key":""}}}"#)
    case .broadcast(let event, let payload):
      bytes.append(json: #"{"type":"broadcast","event":"#)
      bytes.append(jsonString: event)
      bytes.append(json: #","payload":"#)
      bytes.append(value: payload)
      bytes.append(json: "}")
    case .accessToken(let token):
      bytes.append(json: #"{"access_token":"#)
      if let token { bytes.append(jsonString: token) } else { bytes.append(json: "null") }
      bytes.append(json: "}")
    case .stateSet(let key, let value, let life):
      bytes.append(json: #"{"key":"#)
      bytes.append(jsonString: key)
      bytes.append(json: #","value":"#)
      bytes.append(value: value)
      bytes.append(json: life == .durable ? #","life":"durable"}"# : #","life":"ephemeral"}"#)
    case .stateDelete(let key):
      bytes.append(json: #"{"key":"#)
      bytes.append(jsonString: key)
      bytes.append(json: "}")
    }
  }

  /// Reads a message of either version; members that the protocol does not name are skipped.
  ///
  /// Throws for anything that is no message of a client, with the reason.
  public static func decode(
    _ payload: [UInt8], classifier: PalbaseClassifier = PalbaseClassifier()
  ) throws(PalbaseDecodingError) -> Self {
    guard let (envelope, facts) = classifier.read(payload, direction: .up) else {
      throw PalbaseReader.noMessage(payload)
    }
    return try decode(payload, envelope: envelope, facts: facts)
  }

  /// Reads a message that was classified already.
  public static func decode(
    _ payload: [UInt8], envelope: PalbaseEnvelope, facts: MessageFacts
  ) throws(PalbaseDecodingError) -> Self {
    let reader = PalbaseReader(payload: payload, facts: facts)
    let (topic, event) = (try reader.topic(), try reader.event())
    var message = Self(
      .leave, topic: topic, ref: try reader.ref(envelope.ref), joinRef: try reader.ref(envelope.joinRef))
    switch facts.kind {
    case .palbaseLeave: message.body = .leave
    case .palbaseHeartbeat: message.body = .heartbeat
    case .palbaseStateGet: message.body = .stateGet
    case .palbaseAccessToken: message.body = .accessToken(try reader.token())
    case .palbaseJoin:
      // A join without an object for its payload is one without a token, which the server answers as such.
      let payload = try reader.value(facts.arguments) ?? [:]
      let acknowledge = payload["config"]?["broadcast"]?["ack"]?.bool ?? false
      message.body = .join(token: try reader.token(), apiKey: payload["apikey"]?.string, acknowledge: acknowledge)
    case .palbaseBroadcast:
      let (name, payload) = try reader.broadcast(event)
      message.body = .broadcast(event: name, payload: payload)
    case .palbaseStateSet:
      let object = try reader.payloadObject(event)
      guard let life = object["life"].map({ $0.string.flatMap(PalbaseLife.init(rawValue:)) }) ?? .durable else {
        throw .expected("a `life` of durable or ephemeral", of: event)
      }
      message.body = .stateSet(key: try reader.key(object, event), value: object["value"] ?? .null, life: life)
    case .palbaseStateDelete:
      message.body = .stateDelete(key: try reader.key(try reader.payloadObject(event), event))
    default: throw reader.reason(event)
    }
    return message
  }
}
