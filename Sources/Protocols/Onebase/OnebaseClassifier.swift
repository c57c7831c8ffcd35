import Core

/// Reads onebase messages by scanning their top level (and that of a transition's parts) once, without a tree.
///
/// Onebase has no heartbeat of its own: clients ping with WebSocket frames.
public struct OnebaseClassifier: MessageClassifier {
  public init() {}

  public func isHeartbeat(_ facts: MessageFacts) -> Bool { false }
  public func isHeartbeatReply(_ facts: MessageFacts) -> Bool { false }

  public func facts(isText: Bool, payload: [UInt8], direction: Direction) -> MessageFacts {
    guard isText, payload.count < Int(UInt32.max) else { return MessageFacts(kind: .malformed) }
    return payload.withUnsafeBufferPointer { bytes in
      var cursor = PayloadCursor(bytes)
      var scan = OnebaseScan()
      guard cursor.members({ key, value in scan.take(key, value, bytes) }), cursor.isAtEnd(),
        let type = scan.type
      else { return MessageFacts(kind: .malformed) }
      return scan.message(type: type, direction: direction, bytes: bytes)
    }
  }
}

/// The members of one message's or part's top level, as they were found; the last of a repeated key counts.
private struct OnebaseScan {
  typealias Value = PayloadCursor.Value

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

  /// Sorts a member in by its key's length first: one comparison decides for almost every key.
  @inline(__always)
  mutating func take(_ key: ByteRange, _ value: Value, _ bytes: UnsafeBufferPointer<UInt8>) {
    let cursor = PayloadCursor(bytes)
    switch key.count {
    case 2:
      if cursor.text(key, is: "id") { return id = value }
      if cursor.text(key, is: "ok") { return ok = value }
    case 4:
      if cursor.text(key, is: "type") { return type = value.token == .string ? value.range : nil }
      if cursor.text(key, is: "path") { return path = value }
      if cursor.text(key, is: "args") { return arguments = value }
      if cursor.text(key, is: "kind") { return name = value }
    case 5:
      if cursor.text(key, is: "value") { return self.value = value }
      if cursor.text(key, is: "error") { return error = value }
      if cursor.text(key, is: "token") { return token = value }
      if cursor.text(key, is: "ended") { return ended = value }
    case 7:
      if cursor.text(key, is: "updates") { return updates = value }
      if cursor.text(key, is: "results") { return results = value }
    case 8:
      if cursor.text(key, is: "identity") { return identity = value }
    case 9:
      if cursor.text(key, is: "requestId") { return request = value }
    default: break
    }
    // What is left is a key that the protocol does not name, or one that is written with escapes.
    if bytes[key.range].contains(0x5C) { takeEscaped(cursor.unescaped(key), value) }
  }

  private mutating func takeEscaped(_ key: String, _ value: Value) {
    switch key {
    case "type": type = value.token == .string ? value.range : nil
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

  func message(type: ByteRange, direction: Direction, bytes: UnsafeBufferPointer<UInt8>) -> MessageFacts {
    let cursor = PayloadCursor(bytes)
    let facts: MessageFacts?
    switch direction {
    case .up:
      if cursor.string(type, is: "call") {
        facts = call(cursor)
      } else if cursor.string(type, is: "sub") {
        facts = subscribe(cursor)
      } else if cursor.string(type, is: "unsub") {
        facts = unsubscribe(cursor)
      } else if cursor.string(type, is: "auth") {
        facts = auth()
      } else {
        facts = MessageFacts(kind: .unclassified)
      }
    case .down:
      if cursor.string(type, is: "update") {
        facts = update(cursor)
      } else if cursor.string(type, is: "transition") {
        facts = transition(bytes)
      } else if cursor.string(type, is: "result") {
        facts = result(cursor)
      } else if cursor.string(type, is: "auth") {
        facts = authReply()
      } else {
        facts = MessageFacts(kind: .unclassified)
      }
    }
    return facts ?? MessageFacts(kind: .malformed)
  }

  private func auth() -> MessageFacts? {
    guard let token, token.token == .string || token.token == .null else { return nil }
    var facts = MessageFacts(kind: .onebaseAuth)
    facts.credential = token.range
    if token.token == .string { facts.flags.insert(.hasToken) }
    return facts
  }

  private func subscribe(_ cursor: PayloadCursor) -> MessageFacts? {
    guard let id, let path, path.token == .string, hasGoodArguments else { return nil }
    var facts = MessageFacts(kind: .onebaseSubscribe)
    facts.id = identifier(id, cursor, &facts.flags)
    facts.path = path.range
    facts.arguments = arguments?.range
    return facts
  }

  private func unsubscribe(_ cursor: PayloadCursor) -> MessageFacts? {
    guard let id else { return nil }
    var facts = MessageFacts(kind: .onebaseUnsubscribe)
    facts.id = identifier(id, cursor, &facts.flags)
    return facts
  }

  private func call(_ cursor: PayloadCursor) -> MessageFacts? {
    guard let request, let path, path.token == .string, let name, name.token == .string, hasGoodArguments,
      cursor.string(name.range, is: "mutation") || cursor.string(name.range, is: "query")
        || cursor.string(name.range, is: "action")
    else { return nil }
    var facts = MessageFacts(kind: .onebaseCall)
    facts.request = identifier(request, cursor, &facts.flags)
    facts.path = path.range
    facts.name = name.range
    facts.arguments = arguments?.range
    return facts
  }

  private func authReply() -> MessageFacts? {
    var facts = MessageFacts(kind: .onebaseAuthReply)
    guard takeOutcome(&facts) else { return nil }
    if ended?.token == .yes { facts.flags.insert(.ended) }
    facts.credential = identity?.range
    if let identity, identity.token != .null { facts.flags.insert(.hasToken) }
    return facts
  }

  private func update(_ cursor: PayloadCursor) -> MessageFacts? {
    var facts = MessageFacts(kind: .onebaseUpdate)
    guard let id, takeOutcome(&facts) else { return nil }
    facts.id = identifier(id, cursor, &facts.flags)
    facts.value = value?.range
    return facts
  }

  private func result(_ cursor: PayloadCursor) -> MessageFacts? {
    var facts = MessageFacts(kind: .onebaseResult)
    guard let request, takeOutcome(&facts) else { return nil }
    facts.request = identifier(request, cursor, &facts.flags)
    facts.value = value?.range
    return facts
  }

  private func transition(_ bytes: UnsafeBufferPointer<UInt8>) -> MessageFacts? {
    var facts = MessageFacts(kind: .onebaseTransition)
    // In the order written, which is the order of their places.
    let updatesFirst = (updates?.range.lower ?? 0) <= (results?.range.lower ?? .max)
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
    _ list: Value?, isUpdates: Bool, _ bytes: UnsafeBufferPointer<UInt8>, _ parts: inout [MessageFacts]
  ) -> Bool {
    guard let list else { return true }
    guard list.token == .array else { return false }
    var cursor = PayloadCursor(bytes, at: Int(list.range.lower))
    guard cursor.take(0x5B) else { return false }
    if cursor.take(0x5D) { return true }
    repeat {
      var scan = OnebaseScan()
      guard cursor.members({ key, value in scan.take(key, value, bytes) }),
        let part = isUpdates ? scan.update(cursor) : scan.result(cursor)
      else { return false }
      parts.append(part)
    } while cursor.take(0x2C)
    return cursor.take(0x5D)
  }

  private var hasGoodArguments: Bool { arguments.map { $0.token == .object } ?? true }

  /// `ok`, and the error that goes with a failure; false where there is no verdict at all.
  private func takeOutcome(_ facts: inout MessageFacts) -> Bool {
    guard let ok, ok.token == .yes || ok.token == .no else { return false }
    if ok.token == .yes { facts.flags.insert(.ok) }
    if let error, error.token == .string { facts.error = error.range }
    return true
  }

  private func identifier(_ value: Value, _ cursor: PayloadCursor, _ flags: inout MessageFacts.Flags) -> Int64? {
    if value.token == .number, let number = cursor.identifier(value.range) { return number }
    flags.insert(.badIdentifier)
    return nil
  }
}
