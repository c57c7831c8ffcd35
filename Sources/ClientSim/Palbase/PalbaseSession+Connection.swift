import Core
import Metrics
import Protocols

/// Coming, going and coming back.
extension PalbaseSession {
  mutating func start(at now: Instant, _ actions: inout [SessionAction]) {
    guard !isStarted else { return }
    isStarted = true
    isOffline = context.plan.startsOffline
    tell(.started, &actions)
    for topic in context.wantedChannels() { want(topic, at: now, &actions) }
    connectIfWanted(at: now, &actions)
    updateLive(at: now, &actions)
  }

  /// Opens the socket if a channel is wanted and there is none.
  mutating func connectIfWanted(at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .off, !channels.isEmpty else { return }
    if isOffline { return change(to: .reconnecting, at: now, &actions) }
    connect(at: now, &actions)
  }

  mutating func connect(at now: Instant, _ actions: inout [SessionAction]) {
    phase = .connecting
    if status.state != .reconnecting { change(to: .connecting, at: now, &actions) }
    comeback.connect(at: now, &actions)
  }

  mutating func opened(at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .connecting else { return }
    phase = .open
    // One drop and its return is one, however many attempts it took.
    if comeback.hasBeenOpen { reconnects += 1 }
    comeback.opened(at: now, &actions)
    // An open socket starts the schedule over.
    comeback.startOver()
    nextRef = 1
    heartbeat = nil
    change(to: .connected, at: now, &actions)
    if let interval = context.plan.ping, !context.behave.contains(.noHeartbeat) {
      actions.append(.arm(.ping, at: now + interval))
    }
    for index in channels.indices { sendJoin(index, at: now, &actions) }
    updateLive(at: now, &actions)
  }

  mutating func connectFailed(_ failure: ConnectFailure, at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .connecting else { return }
    pause(after: failure, at: now, &actions)
  }

  private mutating func pause(
    after failure: ConnectFailure? = nil, at now: Instant, _ actions: inout [SessionAction]
  ) {
    phase = .waiting
    change(to: .reconnecting, at: now, &actions)
    comeback.pause(after: failure, at: now, &actions)
  }

  mutating func closed(_ closure: SessionClosure, at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .open else { return }
    if closure.isError { actions.append(.note(closure.description)) }
    tell(.noticed, &actions)
    dropped(at: now, &actions)
  }

  /// An open socket is gone without having been asked to.
  private mutating func dropped(at now: Instant, _ actions: inout [SessionAction]) {
    actions.append(.measure(.dropped))
    lose(at: now, &actions)
    if outageBegan == nil { outageBegan = now }
    comeback.closed(at: now)
    pause(at: now, &actions)
    updateLive(at: now, &actions)
  }

  /// What the end of an open socket means: its memberships are over, and their states forgotten.
  private mutating func lose(at now: Instant, _ actions: inout [SessionAction]) {
    actions.append(.disarm(.ping))
    actions.append(.disarm(.retry))
    if let beat = heartbeat {
      actions.append(.measure(.atLeast(.heartbeat, now - beat.sent, intended: beat.sent)))
    }
    heartbeat = nil
    for index in channels.indices { end(index, at: now, &actions) }
  }

  /// A membership, or a join under way, is over.
  mutating func end(_ index: Int, at now: Instant, _ actions: inout [SessionAction]) {
    switch channels[index].membership {
    case .joining:
      let intended = channels[index].intended
      actions.append(.measure(.atLeast(.subscribe, now - intended, intended: intended)))
    case .joined:
      actions.append(.measure(.subscriptionDown(channels[index].place, key: channels[index].key)))
    case .out, .retrying: break
    }
    channels[index].forget()
  }

  /// The client's own decision to have no socket; it is opened again when a channel is wanted.
  mutating func disconnect(reason: String, at now: Instant, _ actions: inout [SessionAction]) {
    let hadNone = phase == .off && status.state != .reconnecting
    closeSocket(reason: reason, at: now, &actions)
    if !hadNone { change(to: .disconnected, at: now, &actions) }
    comeback.forget()
    outageBegan = nil
  }

  /// Ends what there is of a socket.
  mutating func closeSocket(reason: String, at now: Instant, _ actions: inout [SessionAction]) {
    if phase == .open {
      tell(.closing(reason: reason), &actions)
      actions.append(.close(code: 1000, reason: reason))
      lose(at: now, &actions)
    } else if phase == .connecting {
      actions.append(.abort)
    }
    actions.append(.disarm(.reconnect))
    phase = .off
  }

  // MARK: Heartbeats

  mutating func beat(at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .open, let interval = context.plan.ping else { return }
    if let beat = heartbeat, context.plan.deadPing == .close {
      tell(.noticed, &actions)
      actions.append(.measure(.took(.detection, now - beat.sent, intended: beat.sent)))
      actions.append(.note("heartbeat not answered"))
      tell(.closing(reason: "heartbeat not answered"), &actions)
      actions.append(.abort)
      return dropped(at: now, &actions)
    }
    let ref = makeRef()
    heartbeat = (ref, now)
    send(.heartbeat(ref: PalbaseRef(ref)), &actions)
    actions.append(.arm(.ping, at: now + interval))
    // What was asked for and never came is asked for again.
    for index in channels.indices where channels[index].isJoined && channels[index].asksForState {
      askForState(index, &actions)
    }
  }

  mutating func heartbeatAnswered(_ ref: Int64?, at now: Instant, _ actions: inout [SessionAction]) {
    guard let beat = heartbeat, ref == beat.ref else { return actions.append(.note("reply to no heartbeat")) }
    heartbeat = nil
    actions.append(.measure(.took(.heartbeat, now - beat.sent, intended: beat.sent)))
  }
}
