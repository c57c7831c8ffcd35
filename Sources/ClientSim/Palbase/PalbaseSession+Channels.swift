import Core
import JSON
import Metrics
import Protocols

/// Joining, and what channels tell.
extension PalbaseSession {
  mutating func want(_ topic: String, at now: Instant, _ actions: inout [SessionAction]) {
    guard find(topic) == nil else { return }
    let taken = channels.map(\.place)
    let place = (0...taken.count).first { !taken.contains($0) } ?? taken.count
    channels.append(PalbaseChannel(topic: topic, place: place, at: now))
    tell(.want(path: topic, arguments: ""), &actions)
  }

  mutating func sendJoin(_ index: Int, at now: Instant, _ actions: inout [SessionAction]) {
    let ref = makeRef()
    if channels[index].membership == .out { channels[index].intended = now }
    channels[index].membership = .joining(ref: ref)
    channels[index].joinRef = PalbaseRef(ref)
    actions.append(.measure(.count(.subscriptions)))
    send(
      PalbaseClientMessage(
        .join(token: token), topic: channels[index].topic, ref: PalbaseRef(ref), joinRef: PalbaseRef(ref)), &actions)
  }

  mutating func askForState(_ index: Int, _ actions: inout [SessionAction]) {
    channels[index].asksForState = true
    send(.stateGet, on: index, &actions)
  }

  /// Sends a message on a channel that is joined.
  mutating func send(_ body: PalbaseClientMessage.Body, on index: Int, _ actions: inout [SessionAction]) {
    let ref = PalbaseRef(makeRef())
    send(
      PalbaseClientMessage(body, topic: channels[index].topic, ref: ref, joinRef: channels[index].joinRef), &actions)
  }

  // MARK: Receiving

  mutating func received(_ message: WireMessage, at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .open else { return }
    let facts = message.facts
    switch facts.kind {
    case .palbaseHeartbeatReply: return heartbeatAnswered(facts.request, at: now, &actions)
    case .malformed: return actions.append(.note("malformed message"))
    case .unclassified: return actions.append(.note("unknown event"))
    default: break
    }
    guard let topic = JSONText.string(of: message.bytes(facts.path)), let index = find(topic) else {
      // What was under way when the channel was left.
      return
    }
    switch facts.kind {
    case .palbaseReply: replied(index, facts, of: message, at: now, &actions)
    case .palbaseBroadcast: shown(index, message, &actions)
    case .palbaseState, .palbaseStateChange: stateTold(index, message, &actions)
    case .palbaseRefused: actions.append(.note("refused: \(ErrorText.of(message.bytes(facts.error)))"))
    case .palbaseClose:
      actions.append(.note("channel closed by the server"))
      unwant(index, at: now, &actions)
    case .palbaseError:
      let reason = JSONText.value(of: message.bytes(facts.arguments))?["reason"]?.string
      refused(index, reason ?? PalbaseReason.unavailable.rawValue, at: now, &actions)
    default: break
    }
  }

  private mutating func replied(
    _ index: Int, _ facts: MessageFacts, of message: WireMessage, at now: Instant, _ actions: inout [SessionAction]
  ) {
    guard case .joining(let ref) = channels[index].membership, facts.request == ref else {
      // Other messages are not waited for.
      return
    }
    guard facts.flags.contains(.ok) else {
      return refused(index, ErrorText.of(message.bytes(facts.error)), at: now, &actions)
    }
    channels[index].membership = .joined
    channels[index].refusals = 0
    let channel = channels[index]
    actions.append(.measure(.took(.subscribe, now - channel.intended, intended: channel.intended)))
    actions.append(.measure(.subscriptionLive(channel.place, key: channel.key)))
    updateLive(at: now, &actions)
  }

  /// Only `unavailable` is worth another try.
  private mutating func refused(_ index: Int, _ reason: String, at now: Instant, _ actions: inout [SessionAction]) {
    actions.append(.note("join refused: \(reason)"))
    let retries = PalbaseReason(rawValue: reason)?.isWorthRetrying ?? false
    guard retries || context.behave.contains(.retryForbidden) else { return unwant(index, at: now, &actions) }
    if channels[index].isJoined { end(index, at: now, &actions) }
    channels[index].refusals += 1
    let pause = context.plan.reconnect.pause(attempt: channels[index].refusals, &retryRandom)
    channels[index].membership = .retrying(at: now + pause)
    armRetry(&actions)
    updateLive(at: now, &actions)
  }

  mutating func retryJoins(at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .open else { return }
    for index in channels.indices {
      if case .retrying(let due) = channels[index].membership, due <= now { sendJoin(index, at: now, &actions) }
    }
    armRetry(&actions)
  }

  private func armRetry(_ actions: inout [SessionAction]) {
    var next: Instant?
    for channel in channels {
      if case .retrying(let due) = channel.membership { next = min(next ?? due, due) }
    }
    if let next { actions.append(.arm(.retry, at: next)) }
  }

  private func shown(_ index: Int, _ message: WireMessage, _ actions: inout [SessionAction]) {
    guard let range = message.facts.value else { return }
    let channel = channels[index]
    message.payload.withUnsafeBytes { bytes in
      Marker.forEach(in: UnsafeRawBufferPointer(rebasing: bytes[range.range])) { marker in
        if marker.run == context.runTag, marker.client != context.client {
          actions.append(.measure(.shown(channel.place, key: channel.key, marker)))
        }
        return true
      }
    }
  }

  private mutating func stateTold(_ index: Int, _ message: WireMessage, _ actions: inout [SessionAction]) {
    let told: PalbaseServerMessage
    do throws(PalbaseDecodingError) {
      told = try PalbaseServerMessage.decode(message.payload, facts: message.facts)
    } catch { return actions.append(.note("malformed message")) }
    switch told.body {
    case .state(let entries, let version): channels[index].take(entries: entries, version: version)
    case .stateChange(let key, let entry, let version):
      if !channels[index].take(change: key, entry, version: version),
        !context.behave.contains(.ignoreMissedChange)
      {
        askForState(index, &actions)
      }
    default: break
    }
  }
}
