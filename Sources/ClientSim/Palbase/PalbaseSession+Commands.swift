import Core
import JSON
import Metrics
import Protocols

/// What the client is told to do.
extension PalbaseSession {
  mutating func obey(_ command: SessionCommand, at now: Instant, _ actions: inout [SessionAction]) {
    switch command {
    case .palbase(let command): obey(command, at: now, &actions)
    case .restart: restart(at: now, &actions)
    case .goOffline: goOffline(at: now, &actions)
    case .goOnline:
      guard isOffline else { return }
      isOffline = false
      connectIfWanted(at: now, &actions)
    case .signIn(let token): changeUser(token, reason: token == nil ? "signed out" : "another user", at: now, &actions)
    case .audit(let query): actions.append(.audited(id: query.id, value: nil))
    case .call(let request): actions.append(.finished(call: request.plan.index, isLost: true))
    case .stop: stop(at: now, &actions)
    case .subscribe, .unsubscribe: break
    }
  }

  private mutating func obey(_ command: PalbaseCommand, at now: Instant, _ actions: inout [SessionAction]) {
    switch command {
    case .join(let topic):
      guard find(topic) == nil else { return }
      want(topic, at: now, &actions)
      if phase == .open { sendJoin(channels.count - 1, at: now, &actions) }
      connectIfWanted(at: now, &actions)
      updateLive(at: now, &actions)
    case .leave(let topic):
      guard let index = find(topic) else { return }
      if phase == .open, channels[index].membership != .out { send(.leave, on: index, &actions) }
      unwant(index, at: now, &actions)
    case .broadcast(let request): broadcast(request, at: now, &actions)
    case .set(let topic, let key, let value, let life):
      write(topic, .init(key: key, value: value, life: life), &actions)
    case .deleteOwn(let topic, let key): write(topic, .init(key: key, value: nil, life: .durable), &actions)
    case .refreshToken(let token):
      self.token = token
      tell(.tokenRefreshed, &actions)
      guard phase == .open else { return }
      for index in channels.indices where channels[index].isJoined { send(.accessToken(token), on: index, &actions) }
    case .endSession: changeUser(nil, reason: "session ended", at: now, &actions)
    }
  }

  /// Wants a channel no longer. With the last one goes the socket.
  mutating func unwant(_ index: Int, at now: Instant, _ actions: inout [SessionAction]) {
    end(index, at: now, &actions)
    let topic = channels.remove(at: index).topic
    tell(.unwant(path: topic, arguments: ""), &actions)
    if channels.isEmpty { disconnect(reason: "no channel is wanted", at: now, &actions) }
    updateLive(at: now, &actions)
  }

  private mutating func broadcast(_ request: BroadcastRequest, at now: Instant, _ actions: inout [SessionAction]) {
    let index = find(request.topic).flatMap { phase == .open && channels[$0].isJoined ? $0 : nil }
    tell(
      .call(kind: "broadcast", path: request.topic, marker: request.marker, offline: index == nil), &actions)
    guard let index else {
      // Not delivered, and not kept.
      droppedWhileDown += 1
      return actions.append(.note("broadcast while down"))
    }
    if let marker = request.marker {
      // Counted before it goes out, so that no receiver can be faster than the expectation.
      actions.append(.measure(.mutationSent(marker, seenBy: [channels[index].key])))
    }
    let ref = PalbaseRef(makeRef())
    var bytes: [UInt8] = []
    bytes.reserveCapacity(request.payload.count + 128)
    PalbaseText.append(
      .object, ref: ref, topic: PalbaseText.quoted(request.topic), event: "broadcast", to: &bytes
    ) { PalbaseServerMessage.writeBroadcast(event: request.event, payload: request.payload, into: &$0) }
    actions.append(.send(bytes))
  }

  /// An entry to be written, or removed where it has no value.
  private struct Write {
    var key: String
    var value: [UInt8]?
    var life: PalbaseLife
  }

  private mutating func write(_ topic: String, _ write: Write, _ actions: inout [SessionAction]) {
    guard phase == .open, let index = find(topic), channels[index].isJoined else {
      droppedWhileDown += 1
      return actions.append(.note("state write while down"))
    }
    guard let text = write.value else { return send(.stateDelete(key: write.key), on: index, &actions) }
    guard let value = JSONText.value(of: text[...]) else { return actions.append(.note("a state value is not JSON")) }
    send(.stateSet(key: write.key, value: value, life: write.life), on: index, &actions)
  }

  /// The socket is one person's: it is closed with every channel, and the states are forgotten.
  private mutating func changeUser(
    _ token: String?, reason: String, at now: Instant, _ actions: inout [SessionAction]
  ) {
    self.token = token
    tell(.userChanged(isSignedIn: token != nil), &actions)
    disconnect(reason: reason, at: now, &actions)
    for channel in channels { tell(.unwant(path: channel.topic, arguments: ""), &actions) }
    channels = []
    updateLive(at: now, &actions)
  }

  private mutating func goOffline(at now: Instant, _ actions: inout [SessionAction]) {
    guard !isOffline else { return }
    isOffline = true
    if phase == .open {
      if outageBegan == nil { outageBegan = now }
      comeback.closed(at: now)
    }
    closeSocket(reason: "offline", at: now, &actions)
    comeback.startOver()
    // A channel is wanted and the socket is not open.
    if !channels.isEmpty { change(to: .reconnecting, at: now, &actions) }
    updateLive(at: now, &actions)
  }

  /// The process dies and starts again: what was in memory is gone, its socket too.
  private mutating func restart(at now: Instant, _ actions: inout [SessionAction]) {
    tell(.restarted, &actions)
    let wasOffline = isOffline
    if phase == .open || phase == .connecting { actions.append(.abort) }
    if phase == .open { actions.append(.measure(.dropped)) }
    for index in channels.indices { end(index, at: now, &actions) }
    for timer in SessionTimer.allCases { actions.append(.disarm(timer)) }
    let (kept, live) = (token, isLive)
    self = PalbaseSession(context)
    (token, isLive, isStarted, isOffline) = (kept, live, true, wasOffline)
    for topic in context.wantedChannels() { want(topic, at: now, &actions) }
    connectIfWanted(at: now, &actions)
    updateLive(at: now, &actions)
  }

  /// The run is over: nothing that is out may go uncounted.
  private mutating func stop(at now: Instant, _ actions: inout [SessionAction]) {
    if let drop = outageBegan { actions.append(.measure(.atLeast(.offline, now - drop, intended: drop))) }
    if phase == .connecting {
      actions.append(.measure(.atLeast(.connect, now - comeback.began, intended: comeback.began)))
    }
    disconnect(reason: "done", at: now, &actions)
    tell(.stopped, &actions)
    phase = .stopped
  }
}
