import Core
import JSON

/// Reads palbase messages of both serializer versions, told apart message by message, with one scan of the top level
/// and one of the payload's.
///
/// Facts: `path` is the topic, `name` the event, `arguments` the payload, `request` the ref, `id` the join_ref (see
/// `PalbaseRef.numeric`). Of a reply `.ok` tells its status, `value` is the response and `error` its reason; of a
/// broadcast `value` is the inner payload; of a state its entries and of a change its entry, and `request` the version;
/// of a refusal `error` is the reason; of a join or a token refresh `credential` is the token.
public struct PalbaseClassifier: MessageClassifier {
  public let wire: PalbaseWire
  private let events: PalbaseEventTable

  public init(wire: PalbaseWire = PalbaseWire()) {
    self.wire = wire
    events = PalbaseEventTable(wire)
  }

  public func isHeartbeat(_ facts: MessageFacts) -> Bool { facts.kind == .palbaseHeartbeat }
  public func isHeartbeatReply(_ facts: MessageFacts) -> Bool { facts.kind == .palbaseHeartbeatReply }

  public func facts(isText: Bool, payload: [UInt8], direction: Direction) -> MessageFacts {
    guard isText else { return MessageFacts(kind: .malformed) }
    return read(payload, direction: direction)?.facts ?? MessageFacts(kind: .malformed)
  }

  /// The envelope and the facts of a text message; nil for what is no message at all. Facts of a message whose payload
  /// is not what its event needs have the kind `.malformed`, those of an event without meaning `.unclassified`.
  public func read(_ payload: [UInt8], direction: Direction) -> (envelope: PalbaseEnvelope, facts: MessageFacts)? {
    payload.withUnsafeBytes { bytes in
      guard let envelope = PalbaseEnvelope(bytes) else { return nil }
      let scan = Scan(envelope: envelope, bytes: bytes)
      return (envelope, scan.facts(events.event(of: bytes[envelope.event]), direction))
    }
  }

  /// One message, its envelope known.
  private struct Scan {
    let envelope: PalbaseEnvelope
    let bytes: UnsafeRawBufferPointer

    func facts(_ event: PalbaseEvent?, _ direction: Direction) -> MessageFacts {
      var facts = MessageFacts(kind: .unclassified)
      facts.path = envelope.topic
      facts.name = envelope.event
      facts.arguments = envelope.payload?.value
      facts.request = identifier(envelope.ref, &facts)
      facts.id = identifier(envelope.joinRef, &facts)
      guard let event else { return facts }
      facts.kind = kind(event, direction)
      if facts.kind != .unclassified, !take(event, into: &facts) { facts.kind = .malformed }
      return facts
    }

    private func identifier(_ ref: ScannedElement?, _ facts: inout MessageFacts) -> Int64? {
      guard let ref else { return nil }
      if let number = PalbaseRef.numeric(bytes[ref.value], ref.kind) { return number }
      facts.flags.insert(.badIdentifier)
      return nil
    }

    private func kind(_ event: PalbaseEvent, _ direction: Direction) -> MessageKind {
      switch (event, direction) {
      case (.broadcast, _): .palbaseBroadcast
      case (.join, .up): .palbaseJoin
      case (.leave, .up): .palbaseLeave
      case (.heartbeat, .up): isOnPhoenix ? .palbaseHeartbeat : .unclassified
      case (.accessToken, .up): .palbaseAccessToken
      case (.stateSet, .up): .palbaseStateSet
      case (.stateDelete, .up): .palbaseStateDelete
      case (.stateGet, .up): .palbaseStateGet
      case (.reply, .down): isOnPhoenix ? .palbaseHeartbeatReply : .palbaseReply
      case (.state, .down): .palbaseState
      case (.stateChange, .down): .palbaseStateChange
      case (.refused, .down): .palbaseRefused
      case (.close, .down): .palbaseClose
      case (.error, .down): .palbaseError
      default: .unclassified
      }
    }

    private var isOnPhoenix: Bool { JSONText.equals(bytes[envelope.topic], "phoenix") }

    /// Looks into the payload; false if it lacks what the event needs.
    private func take(_ event: PalbaseEvent, into facts: inout MessageFacts) -> Bool {
      switch event {
      case .leave, .heartbeat, .stateGet, .close, .error: return true
      case .join, .accessToken: return takeToken(into: &facts, isRequired: event == .accessToken)
      case .reply: return takeReply(into: &facts)
      case .broadcast:
        guard let (event, payload) = two("event", "payload"), event?.kind == .string else { return false }
        facts.value = payload?.value
        return payload.map { $0.kind == .object } ?? true
      case .refused:
        guard let (reason, _) = two("reason", "event"), let reason, reason.kind == .string else { return false }
        facts.error = reason.value
        return true
      case .state: return takeState("entries", [.object], into: &facts)
      case .stateChange: return takeState("entry", [.object, .null], into: &facts)
      case .stateSet:
        guard let (key, value) = two("key", "value"), key?.kind == .string else { return false }
        facts.value = value?.value
        return true
      case .stateDelete: return two("key", "value")?.0?.kind == .string
      }
    }

    private func takeToken(into facts: inout MessageFacts, isRequired: Bool) -> Bool {
      guard let (access, token) = two("access_token", "token") else { return !isRequired }
      guard let found = [access, token].compactMap({ $0 }).first(where: { $0.kind == .string }) else {
        return !isRequired || access?.kind == .null
      }
      facts.credential = found.value
      facts.flags.insert(.hasToken)
      return true
    }

    private func takeReply(into facts: inout MessageFacts) -> Bool {
      guard let (status, response) = two("status", "response"), let status else { return false }
      if JSONText.equals(bytes[status.value], "ok") {
        facts.flags.insert(.ok)
      } else if !JSONText.equals(bytes[status.value], "error") {
        return false
      }
      guard let response else { return true }
      facts.value = response.value
      if !facts.flags.contains(.ok), response.kind == .object,
        let (reason, _) = members("reason", "", in: response.value), let reason, reason.kind == .string
      {
        facts.error = reason.value
      }
      return true
    }

    private func takeState(_ name: StaticString, _ kinds: [JSONKind], into facts: inout MessageFacts) -> Bool {
      guard let (content, version) = two(name, "version"), let version, version.kind == .number,
        let number = JSONText.integer(of: bytes[version.value])
      else { return false }
      facts.value = content?.value
      facts.request = number
      return content.map { kinds.contains($0.kind) } ?? kinds.contains(.null)
    }

    /// Two members of the payload by name; nil if it is no object.
    private func two(_ first: StaticString, _ second: StaticString) -> (ScannedElement?, ScannedElement?)? {
      guard let payload = envelope.payload, payload.kind == .object else { return nil }
      return members(first, second, in: payload.value)
    }

    private func members(
      _ first: StaticString, _ second: StaticString, in object: ByteRange
    ) -> (ScannedElement?, ScannedElement?)? {
      var found: (ScannedElement?, ScannedElement?) = (nil, nil)
      let result = TopLevelScanner.scanObject(bytes, in: object) { member in
        let key = bytes[member.key]
        if JSONText.equals(key, first) {
          found.0 = ScannedElement(value: member.value, kind: member.kind)
        } else if JSONText.equals(key, second) {
          found.1 = ScannedElement(value: member.value, kind: member.kind)
        }
      }
      return result == .ok ? found : nil
    }
  }
}
