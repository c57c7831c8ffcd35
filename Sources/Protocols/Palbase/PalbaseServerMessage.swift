import Core
import JSON

/// A message from a palbase server to a client.
public struct PalbaseServerMessage: Equatable, Sendable {
  public enum Body: Equatable, Sendable {
    /// The answer to a join, a leave or a heartbeat.
    case ok(response: JSONValue = [:])
    /// The refusal of one, with its reason.
    case refusedReply(reason: String)
    case broadcast(event: String, payload: JSONValue)
    /// The whole state; entries are written in the order of their keys.
    case state(entries: [String: PalbaseEntry], version: Int64)
    /// One entry was set, or removed (nil).
    case stateChange(key: String, entry: PalbaseEntry?, version: Int64)
    /// A broadcast (by its event) or a state write (by its name) was refused.
    case refused(event: String, reason: String)
    /// The server ended the membership, in order or for a failure.
    case closed
    case failed(reason: String?)
  }

  public var topic: String
  public var ref: PalbaseRef?
  /// Version 1 does not carry it.
  public var joinRef: PalbaseRef?
  public var body: Body

  public init(_ body: Body, topic: String, ref: PalbaseRef? = nil, joinRef: PalbaseRef? = nil) {
    self.topic = topic
    self.ref = ref
    self.joinRef = joinRef
    self.body = body
  }

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
    case .ok, .refusedReply: "phx_reply"
    case .broadcast: "broadcast"
    case .state: wire.state
    case .stateChange: wire.stateChange
    case .refused: wire.refused
    case .closed: "phx_close"
    case .failed: "phx_error"
    }
  }

  private func writePayload(into bytes: inout [UInt8]) {
    switch body {
    case .ok(let response):
      bytes.append(json: #"{"status":"ok","response":"#)
      bytes.append(value: response)
      bytes.append(json: "}")
    case .refusedReply(let reason):
      bytes.append(json: #"{"status":"error","response":{"reason":"#)
      bytes.append(jsonString: reason)
      bytes.append(json: "}}")
    case .broadcast(let event, let payload):
      Self.writeBroadcast(event: event, payload: payload.encoded(), into: &bytes)
    case .state(let entries, let version):
      Self.writeState(version: version, into: &bytes) { bytes in
        for (place, key) in entries.keys.sorted().enumerated() {
          guard let entry = entries[key] else { continue }
          if place > 0 { bytes.append(json: ",") }
          bytes.append(jsonString: key)
          bytes.append(json: ":")
          PalbaseEntry.write(value: entry.value.encoded(), life: entry.life, isOwn: entry.isOwn, into: &bytes)
        }
      }
    case .stateChange(let key, let entry, let version):
      Self.writeChange(key: key, version: version, into: &bytes) { bytes in
        guard let entry else { return bytes.append(json: "null") }
        PalbaseEntry.write(value: entry.value.encoded(), life: entry.life, isOwn: entry.isOwn, into: &bytes)
      }
    case .refused(let event, let reason):
      bytes.append(json: #"{"event":"#)
      bytes.append(jsonString: event)
      bytes.append(json: #","reason":"#)
      bytes.append(jsonString: reason)
      bytes.append(json: "}")
    case .closed, .failed(nil): bytes.append(json: "{}")
    case .failed(let reason?):
      bytes.append(json: #"{"reason":"#)
      bytes.append(jsonString: reason)
      bytes.append(json: "}")
    }
  }

  // MARK: Payloads that servers write from JSON text they hold

  /// Appends the payload of a broadcast; `payload` is JSON text.
  public static func writeBroadcast(event: String, payload: some Collection<UInt8>, into bytes: inout [UInt8]) {
    bytes.append(json: #"{"type":"broadcast","event":"#)
    bytes.append(jsonString: event)
    bytes.append(json: #","payload":"#)
    bytes.append(contentsOf: payload)
    bytes.append(json: "}")
  }

  /// Appends the payload of a whole state; `entries` appends the members of the entries' object.
  public static func writeState(version: Int64, into bytes: inout [UInt8], entries: (inout [UInt8]) -> Void) {
    bytes.append(json: #"{"entries":{"#)
    entries(&bytes)
    bytes.append(json: #"},"version":"#)
    bytes.append(number: version)
    bytes.append(json: "}")
  }

  /// Appends the payload of a change; `entry` appends the entry, or null.
  public static func writeChange(
    key: String, version: Int64, into bytes: inout [UInt8], entry: (inout [UInt8]) -> Void
  ) {
    bytes.append(json: #"{"key":"#)
    bytes.append(jsonString: key)
    bytes.append(json: #","entry":"#)
    entry(&bytes)
    bytes.append(json: #","version":"#)
    bytes.append(number: version)
    bytes.append(json: "}")
  }

  // MARK: Reading

  /// Reads a message of either version; members that the protocol does not name are skipped.
  ///
  /// Throws for anything that is no message of a server, with the reason.
  public static func decode(
    _ payload: [UInt8], classifier: PalbaseClassifier = PalbaseClassifier()
  ) throws(PalbaseDecodingError) -> Self {
    guard let (envelope, facts) = classifier.read(payload, direction: .down) else {
      throw PalbaseReader.noMessage(payload)
    }
    return try decode(payload, envelope: envelope, facts: facts)
  }

  /// Reads a message that was classified already.
  public static func decode(
    _ payload: [UInt8], envelope: PalbaseEnvelope, facts: MessageFacts
  ) throws(PalbaseDecodingError) -> Self {
    var message = try decode(payload, facts: facts)
    let reader = PalbaseReader(payload: payload, facts: facts)
    message.ref = try reader.ref(envelope.ref)
    message.joinRef = try reader.ref(envelope.joinRef)
    return message
  }

  /// Reads a message whose facts are known, without scanning its top level again. Of ref and join_ref the facts hold
  /// the number only; they are left out.
  public static func decode(_ payload: [UInt8], facts: MessageFacts) throws(PalbaseDecodingError) -> Self {
    let reader = PalbaseReader(payload: payload, facts: facts)
    let event = try reader.event()
    var message = Self(.closed, topic: try reader.topic())
    switch facts.kind {
    case .palbaseReply, .palbaseHeartbeatReply:
      if facts.flags.contains(.ok) {
        message.body = .ok(response: try reader.value(facts.value) ?? [:])
      } else {
        message.body = .refusedReply(reason: facts.error.flatMap { JSONText.string(of: payload[$0.range]) } ?? "")
      }
    case .palbaseBroadcast:
      let (name, payload) = try reader.broadcast(event)
      message.body = .broadcast(event: name, payload: payload)
    case .palbaseState:
      var entries: [String: PalbaseEntry] = [:]
      for member in try reader.value(facts.value)?.object?.members ?? [] {
        entries[member.key] = try reader.entry(member.value, event)
      }
      message.body = .state(entries: entries, version: facts.request ?? 0)
    case .palbaseStateChange:
      let object = try reader.payloadObject(event)
      let entry: PalbaseEntry?
      if let json = object["entry"], !json.isNull { entry = try reader.entry(json, event) } else { entry = nil }
      message.body = .stateChange(key: try reader.key(object, event), entry: entry, version: facts.request ?? 0)
    case .palbaseRefused:
      let object = try reader.payloadObject(event)
      message.body = .refused(event: object["event"]?.string ?? "", reason: object["reason"]?.string ?? "")
    case .palbaseClose: message.body = .closed
    case .palbaseError: message.body = .failed(reason: try? reader.payloadObject(event)["reason"]?.string)
    default: throw reader.reason(event)
    }
    return message
  }
}
