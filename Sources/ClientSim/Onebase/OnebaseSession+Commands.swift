import Core
import Metrics
import Protocols

/// What the client is told to do.
extension OnebaseSession {
  mutating func obey(_ command: SessionCommand, at now: Instant, _ actions: inout [SessionAction]) {
    switch command {
    case .subscribe(let key): subscribe(key, at: now, &actions)
    case .unsubscribe(let key):
      if let index = subscriptions.firstIndex(where: { $0.wanted == key }) { unwant(index, at: now, &actions) }
    case .call(let request): call(request, at: now, &actions)
    case .restart: restart(at: now, &actions)
    case .goOffline:
      guard phase != .off else { return }
      end(code: 1000, reason: "offline", at: now, &actions)
      outageBegan = nil
      setLive(true, at: now, &actions)
    case .goOnline:
      guard phase == .off else { return }
      setLive(false, at: now, &actions)
      comeback.startOver()
      connect(at: now, &actions)
    case .signIn(let token): signIn(token, at: now, &actions)
    case .palbase: break
    case .audit(let query): audit(query, &actions)
    case .stop: stop(at: now, &actions)
    }
  }

  private mutating func subscribe(_ key: SubscriptionKey, at now: Instant, _ actions: inout [SessionAction]) {
    let id = (subscriptions.map(\.id).max() ?? 0) + 1
    subscriptions.append(Subscription(id: id, key, at: now))
    tell(.want(path: key.path, arguments: key.arguments), &actions)
    setLive(false, at: now, &actions)
    if isOpen { send(subscription: subscriptions.count - 1, at: now, &actions) }
  }

  /// The process dies and starts again: what was in memory is gone, its connection too.
  private mutating func restart(at now: Instant, _ actions: inout [SessionAction]) {
    tell(.restarted, &actions)
    let wasOff = phase == .off
    if isOpen || phase == .connecting { actions.append(.abort) }
    if isOpen {
      lose(at: now, isDrop: true, &actions)
    } else {
      loseCalls(at: now, &actions)
    }
    actions.append(.disarm(.reconnect))
    for entry in outbox.takeUnpersisted() { lost(entry.request, sent: nil, at: now, &actions) }
    calls.startOver()
    comeback.startOver()
    phase = .off
    want(at: now, &actions)
    if !wasOff { connect(at: now, &actions) }
  }

  private mutating func signIn(_ token: String?, at now: Instant, _ actions: inout [SessionAction]) {
    guard token != self.token else { return }
    self.token = token
    changeUser(to: .unknown, at: now, &actions)
    guard phase != .off else { return }
    end(code: 1000, reason: "another user", at: now, &actions)
    comeback.startOver()
    connect(at: now, &actions)
  }

  private mutating func audit(_ query: AuditQuery, _ actions: inout [SessionAction]) {
    guard phase == .ready else {
      actions.append(.audited(id: query.id, value: nil))
      return
    }
    let request = calls.nextRequest()
    audits.append((request, query.id))
    let head = CallPlan.head(kind: .query, path: query.path)
    actions.append(.send(CallPlan.message(request: request, head: head, arguments: query.arguments)))
  }

  /// Ends whatever there is of a connection, without coming back.
  private mutating func end(code: UInt16, reason: String, at now: Instant, _ actions: inout [SessionAction]) {
    if isOpen {
      tell(.closing(reason: reason), &actions)
      actions.append(.close(code: code, reason: reason))
      lose(at: now, isDrop: false, &actions)
    } else if phase == .connecting {
      actions.append(.abort)
    }
    actions.append(.disarm(.reconnect))
    phase = .off
  }

  /// The run is over: nothing that is out may go uncounted.
  private mutating func stop(at now: Instant, _ actions: inout [SessionAction]) {
    for call in calls.takeAll() {
      actions.append(.measure(.callOut(intended: call.request.intended, sent: call.sent)))
      missTransition(of: call.request, at: now, &actions)
    }
    for entry in outbox.takeAll() {
      actions.append(.measure(.callOut(intended: entry.request.intended, sent: nil)))
      missTransition(of: entry.request, at: now, &actions)
    }
    if let drop = outageBegan { actions.append(.measure(.atLeast(.offline, now - drop, intended: drop))) }
    if phase == .connecting {
      actions.append(.measure(.atLeast(.connect, now - comeback.began, intended: comeback.began)))
    }
    end(code: 1000, reason: "done", at: now, &actions)
    tell(.stopped, &actions)
    phase = .stopped
  }
}
