import Core
import JSON

/// Reads onebase messages by scanning their top level (and that of a transition's parts) once, without a tree.
///
/// Onebase has no heartbeat of its own: clients ping with WebSocket frames.
public struct OnebaseClassifier: MessageClassifier {
  public init() {}

  public func isHeartbeat(_ facts: MessageFacts) -> Bool { false }
  public func isHeartbeatReply(_ facts: MessageFacts) -> Bool { false }

  public func facts(isText: Bool, payload: [UInt8], direction: Direction) -> MessageFacts {
    guard isText, payload.count < Int(UInt32.max) else { return MessageFacts(kind: .malformed) }
    return payload.withUnsafeBytes { bytes in
      var scan = OnebaseScan()
      guard TopLevelScanner.scanObject(bytes, { scan.take($0, bytes) }) == .ok, let type = scan.type
      else { return MessageFacts(kind: .malformed) }
      return scan.message(type: type, direction: direction, bytes: bytes)
    }
  }
}

/// The members of one message's or part's top level, as they were found; the last of a repeated key counts.
private struct OnebaseScan {
  /// A value: what it is and where it stands.
  typealias Value = ScannedElement

  var type: ByteRange?
  var id: Value?
  var request: Value?
  var path: Value?
  var arguments: Value?
  var value: Value?
  var name: Value?
  var error: Value?
  var token: Value?
  var identity: Value?
  var ok: Value?
  var ended: Value?
  var updates: Value?
  var results: Value?

  /// Sorts a member in by its key's length first (quotes included): one comparison decides for almost every key.
  @inline(__always)
  mutating func take(_ member: ScannedMember, _ bytes: UnsafeRawBufferPointer) {
    let key = bytes[member.key]
    let value = Value(value: member.value, kind: member.kind)
    switch key.count {
    case 4:
      if JSONText.equals(key, "id") { return id = value }
      if JSONText.equals(key, "ok") { return ok = value }
    case 6:
      if JSONText.equals(key, "type") { return takeType(value) }
      if JSONText.equals(key, "path") { return path = value }
      if JSONText.equals(key, "args") { return arguments = value }
      if JSONText.equals(key, "kind") { return name = value }
    case 7:
      if JSONText.equals(key, "value") { return self.value = value }
      if JSONText.equals(key, "error") { return error = value }
      if JSONText.equals(key, "token") { return token = value }
      if JSONText.equals(key, "ended") { return ended = value }
    case 9:
      if JSONText.equals(key, "updates") { return updates = value }
      if JSONText.equals(key, "results") { return results = value }
    case 10:
      if JSONText.equals(key, "identity") { return identity = value }
    case 11:
      if JSONText.equals(key, "requestId") { return request = value }
    default: break
    }
    // What is left is a key that the protocol does not name, or one that is written with escapes.
    if key.contains(0x5C), let text = JSONText.string(of: key) { takeEscaped(text, value) }
  }

  private mutating func takeType(_ value: Value) { type = value.kind == .string ? value.value : nil }

  private mutating func takeEscaped(_ key: String, _ value: Value) {
    switch key {
    case "type": takeType(value)
    case "id": id = value
    case "requestId": request = value
    case "path": path = value
    case "args": arguments = value
    case "kind": name = value
    case "value": self.value = value
    case "error": error = value
    case "token": token = value
    case "identity": identity = value
    case "ok": ok = value
    case "ended": ended = value
    case "updates": updates = value
    case "results": results = value
    default: break
    }
  }

  func message(type: ByteRange, direction: Direction, bytes: UnsafeRawBufferPointer) -> MessageFacts {
    let word = bytes[type]
    let facts: MessageFacts?
    switch direction {
    case .up:
      if JSONText.equals(word, "call") {
        facts = call(bytes)
      } else if JSONText.equals(word, "sub") {
        facts = subscribe(bytes)
      } else if JSONText.equals(word, "unsub") {
        facts = unsubscribe(bytes)
      } else if JSONText.equals(word, "auth") {
        facts = auth()
      } else {
        facts = MessageFacts(kind: .unclassified)
      }
    case .down:
      if JSONText.equals(word, "update") {
        facts = update(bytes)
      } else if JSONText.equals(word, "transition") {
        facts = transition(bytes)
      } else if JSONText.equals(word, "result") {
        facts = result(bytes)
      } else if JSONText.equals(word, "auth") {
        facts = authReply()
      } else {
        facts = MessageFacts(kind: .unclassified)
      }
    }
    return facts ?? MessageFacts(kind: .malformed)
  }

  private func auth() -> MessageFacts? {
    guard let token, token.kind == .string || token.kind == .null else { return nil }
    var facts = MessageFacts(kind: .onebaseAuth)
    facts.credential = token.value
    if token.kind == .string { facts.flags.insert(.hasToken) }
    return facts
  }

  private func subscribe(_ bytes: UnsafeRawBufferPointer) -> MessageFacts? {
    guard let id, let path, path.kind == .string, hasGoodArguments else { return nil }
    var facts = MessageFacts(kind: .onebaseSubscribe)
    facts.id = identifier(id, bytes, &facts.flags)
    facts.path = path.value
    facts.arguments = arguments?.value
    return facts
  }

  private func unsubscribe(_ bytes: UnsafeRawBufferPointer) -> MessageFacts? {
    guard let id else { return nil }
    var facts = MessageFacts(kind: .onebaseUnsubscribe)
    facts.id = identifier(id, bytes, &facts.flags)
    return facts
  }

  private func call(_ bytes: UnsafeRawBufferPointer) -> MessageFacts? {
    guard let request, let path, path.kind == .string, let name, name.kind == .string, hasGoodArguments,
      Self.isCallKind(bytes[name.value])
    else { return nil }
    var facts = MessageFacts(kind: .onebaseCall)
    facts.request = identifier(request, bytes, &facts.flags)
    facts.path = path.value
    facts.name = name.value
    facts.arguments = arguments?.value
    return facts
  }

  private func authReply() -> MessageFacts? {
    var facts = MessageFacts(kind: .onebaseAuthReply)
    guard takeOutcome(&facts) else { return nil }
    if ended?.kind == .true { facts.flags.insert(.ended) }
    facts.credential = identity?.value
    if let identity, identity.kind != .null { facts.flags.insert(.hasToken) }
    return facts
  }

  private func update(_ bytes: UnsafeRawBufferPointer) -> MessageFacts? {
    var facts = MessageFacts(kind: .onebaseUpdate)
    guard let id, takeOutcome(&facts) else { return nil }
    facts.id = identifier(id, bytes, &facts.flags)
    facts.value = value?.value
    return facts
  }

  private func result(_ bytes: UnsafeRawBufferPointer) -> MessageFacts? {
    var facts = MessageFacts(kind: .onebaseResult)
    guard let request, takeOutcome(&facts) else { return nil }
    facts.request = identifier(request, bytes, &facts.flags)
    facts.value = value?.value
    return facts
  }

  private func transition(_ bytes: UnsafeRawBufferPointer) -> MessageFacts? {
    var facts = MessageFacts(kind: .onebaseTransition)
    // In the order written, which is the order of their places.
    let updatesFirst = (updates?.value.lower ?? 0) <= (results?.value.lower ?? .max)
    if updatesFirst {
      guard Self.parts(updates, isUpdates: true, bytes, &facts.parts) else { return nil }
    }
    guard Self.parts(results, isUpdates: false, bytes, &facts.parts) else { return nil }
    if !updatesFirst {
      guard Self.parts(updates, isUpdates: true, bytes, &facts.parts) else { return nil }
    }
    return facts
  }

  /// Scans the elements of a transition's list; a missing list is an empty one.
  private static func parts(
    _ list: Value?, isUpdates: Bool, _ bytes: UnsafeRawBufferPointer, _ parts: inout [MessageFacts]
  ) -> Bool {
    guard let list else { return true }
    guard list.kind == .array else { return false }
    var isGood = true
    let result = TopLevelScanner.scanArray(bytes, in: list.value) { element in
      var scan = OnebaseScan()
      guard isGood, element.kind == .object,
        TopLevelScanner.scanObject(bytes, in: element.value, { scan.take($0, bytes) }) == .ok,
        let part = isUpdates ? scan.update(bytes) : scan.result(bytes)
      else { return isGood = false }
      parts.append(part)
    }
    return isGood && result == .ok
  }

  private var hasGoodArguments: Bool { arguments.map { $0.kind == .object } ?? true }

  /// `ok`, and the error that goes with a failure; false where there is no verdict at all.
  private func takeOutcome(_ facts: inout MessageFacts) -> Bool {
    guard let ok, ok.kind == .true || ok.kind == .false else { return false }
    if ok.kind == .true { facts.flags.insert(.ok) }
    if let error, error.kind == .string { facts.error = error.value }
    return true
  }

  private static func isCallKind(_ word: UnsafeRawBufferPointer) -> Bool {
    JSONText.equals(word, "mutation") || JSONText.equals(word, "query") || JSONText.equals(word, "action")
  }

  /// A number as an identifier: a whole one as it is, any other as the bits of its double, which tell it apart from
  /// every other.
  private func identifier(
    _ value: Value, _ bytes: UnsafeRawBufferPointer, _ flags: inout MessageFacts.Flags
  ) -> Int64? {
    if value.kind == .number {
      let raw = bytes[value.value]
      if let whole = JSONText.integer(of: raw) { return whole }
      if let fraction = JSONText.double(of: raw) { return Int64(bitPattern: fraction.bitPattern) }
    }
    flags.insert(.badIdentifier)
    return nil
  }
}
