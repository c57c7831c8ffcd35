import Core
import Metrics
import Protocols

/// Coming, going and coming back.
extension OnebaseSession {
  mutating func start(at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .off else { return }
    tell(.started, &actions)
    want(at: now, &actions)
    if context.plan.startsOffline { setLive(true, at: now, &actions) } else { connect(at: now, &actions) }
  }

  /// Takes up the plan's subscriptions, with the memory of what was seen of them before a restart.
  mutating func want(at now: Instant, _ actions: inout [SessionAction]) {
    let seen = subscriptions.map(\.seen)
    subscriptions = context.wantedSubscriptions().enumerated().map { index, key in
      var subscription = Subscription(id: Int64(index + 1), key, at: now)
      subscription.seen = index < seen.count ? seen[index] : nil
      tell(.want(path: key.path, arguments: key.arguments), &actions)
      return subscription
    }
    // Without auth nobody has to be confirmed.
    if token == nil { showCached(owner: nil, &actions) }
  }

  mutating func connect(at now: Instant, _ actions: inout [SessionAction]) {
    phase = .connecting
    comeback.connect(at: now, &actions)
  }

  mutating func opened(at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .connecting else { return }
    phase = .opened
    let isFirst = !comeback.hasBeenOpen
    comeback.opened(at: now, &actions)
    isAuthRefused = false
    heartbeat.startOver()
    if let interval = context.plan.ping, !context.behave.contains(.noHeartbeat) {
      actions.append(.arm(.ping, at: now + interval))
    }
    let subscriptionsFirst = context.behave.contains(.subsBeforeAuth)
    let resubscribes = isFirst || !context.behave.contains(.noResubscribe)
    if subscriptionsFirst, resubscribes { subscribeAll(at: now, &actions) }
    authSent = now
    actions.append(.send(OnebaseClientMessage.auth(token: token).encoded))
    if !subscriptionsFirst, resubscribes { subscribeAll(at: now, &actions) }
  }

  private mutating func subscribeAll(at now: Instant, _ actions: inout [SessionAction]) {
    for index in subscriptions.indices { send(subscription: index, at: now, &actions) }
  }

  mutating func send(subscription index: Int, at now: Instant, _ actions: inout [SessionAction]) {
    subscriptions[index].intended = now
    subscriptions[index].state = .sent
    actions.append(.measure(.count(.subscriptions)))
    actions.append(.send(subscriptions[index].message))
  }

  mutating func connectFailed(_ failure: ConnectFailure, at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .connecting else { return }
    phase = .waiting
    comeback.pause(after: failure, at: now, &actions)
  }

  mutating func closed(_ closure: SessionClosure, at now: Instant, _ actions: inout [SessionAction]) {
    guard isOpen else { return }
    if closure.isError { actions.append(.note(closure.description)) }
    tell(.noticed, &actions)
    actions.append(.measure(.dropped))
    lose(at: now, isDrop: true, &actions)
    phase = .waiting
    comeback.pause(at: now, &actions)
  }

  /// The session's own decision to end a connection that is no good, and to come back.
  mutating func giveUp(_ reason: String, at now: Instant, _ actions: inout [SessionAction]) {
    tell(.closing(reason: reason), &actions)
    actions.append(.abort)
    actions.append(.measure(.dropped))
    lose(at: now, isDrop: true, &actions)
    phase = .waiting
    comeback.pause(at: now, &actions)
  }

  /// What an open connection's end means: what was out on it will never come.
  mutating func lose(at now: Instant, isDrop: Bool, _ actions: inout [SessionAction]) {
    actions.append(.disarm(.ping))
    if let sent = heartbeat.unanswered { actions.append(.measure(.atLeast(.heartbeat, now - sent, intended: sent))) }
    heartbeat.startOver()
    if phase == .opened { actions.append(.measure(.atLeast(.auth, now - authSent, intended: authSent))) }
    for index in subscriptions.indices { down(index, at: now, &actions) }
    // The outage began with the first drop, when the client is dropped again before it was live.
    if isDrop, outageBegan == nil { outageBegan = now }
    comeback.closed(at: now)
    setLive(false, at: now, &actions)
    loseCalls(at: now, &actions)
    for audit in audits { actions.append(.audited(id: audit.id, value: nil)) }
    audits = []
  }

  private mutating func down(_ index: Int, at now: Instant, _ actions: inout [SessionAction]) {
    switch subscriptions[index].state {
    case .idle: break
    case .sent:
      let intended = subscriptions[index].intended
      actions.append(.measure(.atLeast(.subscribe, now - intended, intended: intended)))
    case .live: actions.append(.measure(.subscriptionDown(index, key: subscriptions[index].hash)))
    }
    subscriptions[index].state = .idle
  }

  mutating func unwant(_ index: Int, at now: Instant, _ actions: inout [SessionAction]) {
    let subscription = subscriptions[index]
    tell(.unwant(path: subscription.wanted.path, arguments: subscription.wanted.arguments), &actions)
    if subscription.state != .idle, isOpen {
      actions.append(.send(OnebaseClientMessage.unsubscribe(id: subscription.id).encoded))
    }
    down(index, at: now, &actions)
    subscriptions.remove(at: index)
    checkLive(at: now, &actions)
  }

  // MARK: Being live

  /// Called when something that was missing may have come.
  mutating func checkLive(at now: Instant, _ actions: inout [SessionAction]) {
    guard !isLive, phase == .ready, subscriptions.allSatisfy(\.isLive) else { return }
    setLive(true, at: now, &actions)
    if let drop = outageBegan {
      actions.append(.measure(.took(.offline, now - drop, intended: drop)))
      outageBegan = nil
    }
  }

  mutating func setLive(_ live: Bool, at now: Instant, _ actions: inout [SessionAction]) {
    guard live != isLive else { return }
    isLive = live
    actions.append(.measure(live ? .live : .notLive))
  }

  // MARK: Pings

  mutating func ping(at now: Instant, _ actions: inout [SessionAction]) {
    guard isOpen, let interval = context.plan.ping else { return }
    if let sent = heartbeat.unanswered {
      if context.plan.deadPing == .close {
        tell(.noticed, &actions)
        actions.append(.measure(.took(.detection, now - sent, intended: sent)))
        actions.append(.note("ping not answered"))
        return giveUp("ping not answered", at: now, &actions)
      }
      actions.append(.measure(.atLeast(.heartbeat, now - sent, intended: sent)))
    }
    actions.append(.ping(heartbeat.ping(at: now)))
    actions.append(.arm(.ping, at: now + interval))
  }
}
