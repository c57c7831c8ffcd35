import Core
import JSON
import Metrics
import Protocols

/// What the server says.
extension OnebaseSession {
  mutating func received(_ message: WireMessage, at now: Instant, _ actions: inout [SessionAction]) {
    guard isOpen else { return }
    switch message.facts.kind {
    case .onebaseUpdate: update(message.facts, of: message, at: now, &actions)
    case .onebaseTransition: transition(message, at: now, &actions)
    case .onebaseResult: result(message.facts, of: message, inTransition: false, at: now, &actions)
    case .onebaseAuthReply: authenticated(message, at: now, &actions)
    case .unclassified: actions.append(.note("message of an unknown type"))
    default:
      actions.append(.note("not a onebase message"))
      giveUp("not a onebase message", at: now, &actions)
    }
  }

  // MARK: Auth

  private mutating func authenticated(_ message: WireMessage, at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .opened else { return actions.append(.note("auth answered twice")) }
    actions.append(.measure(.took(.auth, now - authSent, intended: authSent)))
    if message.facts.flags.contains(.ok) {
      phase = .ready
      // The schedule starts over only after a good connection, not after a mere open.
      comeback.startOver()
      confirm(OnebaseIdentity.subject(message.bytes(message.facts.credential)), at: now, &actions)
    } else if message.facts.flags.contains(.ended) {
      actions.append(.note("auth ended"))
      phase = .ready
      comeback.startOver()
      token = nil
      // What was made under that token is nobody's now.
      changeUser(to: .unknown, at: now, &actions)
      confirm(nil, at: now, &actions)
    } else {
      // The token may be good again later: it is kept, and comes with the next connection.
      actions.append(.note("auth failed"))
      isAuthRefused = true
      phase = .ready
    }
    flushOutbox(at: now, &actions)
    checkLive(at: now, &actions)
  }

  /// The server says who is asking.
  private mutating func confirm(_ subject: String?, at now: Instant, _ actions: inout [SessionAction]) {
    let isNews = user != .confirmed(subject)
    changeUser(to: .confirmed(subject), at: now, &actions)
    if isNews { tell(.user(subject: subject), &actions) }
    showCached(owner: subject, &actions)
  }

  /// Cached data and queued calls belong to one user.
  mutating func changeUser(to next: KnownUser, at now: Instant, _ actions: inout [SessionAction]) {
    if case .confirmed(let subject) = next, cache.clear(unlessOwnedBy: subject) { tell(.cacheCleared, &actions) }
    if next == .unknown {
      // Signing in as another, or out: what the former user made is not sent under the next one's name.
      for entry in outbox.takeAll() { lost(entry.request, sent: nil, at: now, &actions) }
      if cache.clear() { tell(.cacheCleared, &actions) }
      for index in subscriptions.indices { subscriptions[index].value = nil }
    } else {
      for entry in outbox.claim(for: next) { lost(entry.request, sent: nil, at: now, &actions) }
    }
    user = next
  }

  /// Shows what was persisted, until the live value comes.
  mutating func showCached(owner: String?, _ actions: inout [SessionAction]) {
    guard cache.owner == .some(owner) else { return }
    for index in subscriptions.indices where subscriptions[index].value == nil {
      guard let value = cache.value(of: subscriptions[index].wanted) else { continue }
      subscriptions[index].value = value
      let wanted = subscriptions[index].wanted
      tell(.shown(path: wanted.path, arguments: wanted.arguments, fromCache: true, owner: owner), &actions)
    }
  }

  // MARK: Updates and results

  private mutating func update(
    _ facts: MessageFacts, of message: WireMessage, at now: Instant, _ actions: inout [SessionAction]
  ) {
    guard let id = facts.id, let index = place(of: id) else {
      return actions.append(.note("update of an unknown subscription"))
    }
    let isFirst = subscriptions[index].state != .live
    if isFirst {
      let intended = subscriptions[index].intended
      if subscriptions[index].state == .sent {
        actions.append(.measure(.took(.subscribe, now - intended, intended: intended)))
      }
      subscriptions[index].state = .live
    }
    if facts.flags.contains(.ok) {
      if let range = facts.value { show(range, of: message, index, isFirst: isFirst, &actions) }
    } else {
      // The subscription stays: it recovers when the problem is fixed.
      actions.append(.note("subscription failed: \(ErrorText.of(message.bytes(facts.error)))"))
    }
    if isFirst {
      // After what the first value shows, which is not news to a subscriber that was not there when it was sent.
      actions.append(.measure(.subscriptionLive(index, key: subscriptions[index].hash)))
      checkLive(at: now, &actions)
    }
  }

  private mutating func show(
    _ range: ByteRange, of message: WireMessage, _ index: Int, isFirst: Bool, _ actions: inout [SessionAction]
  ) {
    let value = context.values.value(range, of: message.payload, key: subscriptions[index].hash)
    if let seen = subscriptions[index].seen, seen !== value {
      for marker in value.markers(notIn: seen) where marker.run == context.runTag && marker.client != context.client {
        actions.append(.measure(.shown(index, key: subscriptions[index].hash, marker)))
      }
    }
    subscriptions[index].seen = value
    subscriptions[index].value = value
    guard !isAuthRefused, case .confirmed(let subject) = user else { return }
    cache.keep(value, of: subscriptions[index].wanted, owner: subject)
    if isFirst {
      let wanted = subscriptions[index].wanted
      tell(.shown(path: wanted.path, arguments: wanted.arguments, fromCache: false, owner: subject), &actions)
    }
  }

  private func place(of id: Int64) -> Int? {
    // The server says what id it likes.
    let likely = Int(clamping: id) &- 1
    if subscriptions.indices.contains(likely), subscriptions[likely].id == id { return likely }
    return subscriptions.firstIndex { $0.id == id }
  }

  /// One message, one step: nothing can see the updates without the results, or the other way round.
  private mutating func transition(_ message: WireMessage, at now: Instant, _ actions: inout [SessionAction]) {
    var updates = 0
    var results = 0
    for part in message.facts.parts {
      if part.kind == .onebaseUpdate {
        updates += 1
        update(part, of: message, at: now, &actions)
      } else if part.kind == .onebaseResult {
        results += 1
        result(part, of: message, inTransition: true, at: now, &actions)
      }
    }
    tell(.transitionApplied(updates: updates, results: results, atOnce: true), &actions)
  }
}

/// Reads who an auth reply's `identity` names.
enum OnebaseIdentity {
  /// Its `subject`; nil for an anonymous one.
  static func subject(_ identity: ArraySlice<UInt8>) -> String? {
    guard let value = JSONText.value(of: identity) else { return nil }
    return value["subject"]?.string
  }
}

/// The text of an error for reports: cut, since a peer wrote it.
enum ErrorText {
  static let longest = 60

  static func of(_ raw: ArraySlice<UInt8>) -> String {
    String((JSONText.string(of: raw) ?? "no error text").prefix(longest))
  }
}
