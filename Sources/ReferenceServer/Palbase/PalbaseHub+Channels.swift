import Core
import JSON
import Protocols

extension PalbaseHub {
  /// A membership and the member it belongs to; nil, and told to the sender, where there is none or it lacks the right.
  private func member(
    _ slot: Int, _ message: PalbaseClientMessage, event: String, may right: KeyPath<ChannelRights, Bool>,
    _ actions: inout [HubAction]
  ) -> (membership: PalbaseHubConnection.Membership, member: PalbaseRoom.Member)? {
    if let place = connections[slot].find(message.topic) {
      let membership = connections[slot].memberships[place]
      let member = membership.room.members[membership.place]
      if member.rights[keyPath: right] { return (membership, member) }
    }
    refuse(slot, message, event: event, PalbaseReason.forbidden.rawValue, &actions)
    return nil
  }

  // MARK: Broadcasts

  /// A member's broadcast: to every other member, in the order sent. `raw` is the payload, JSON text that was checked.
  func broadcast(
    _ slot: Int, _ message: PalbaseClientMessage, event: String, raw: ArraySlice<UInt8>, at now: Instant,
    _ actions: inout [HubAction]
  ) {
    guard let (membership, _) = member(slot, message, event: event, may: \.publish, &actions) else {
      return
    }
    guard connections[slot].broadcasts.hasRoom(limits.broadcastsPerSecond, at: now),
      projectBroadcasts.admits(limits.projectBroadcastsPerSecond, at: now)
    else {
      refuse(slot, message, event: event, PalbaseReason.rateLimited.rawValue, &actions)
      if membership.acknowledges, message.ref != nil {
        reply(slot, to: message, .refusedReply(reason: PalbaseReason.rateLimited.rawValue), &actions)
      }
      return
    }
    connections[slot].broadcasts.take(at: now)
    counts.broadcasts += 1
    deliver(event: event, raw: raw, in: membership.room, but: slot, &actions)
    if membership.acknowledges, message.ref != nil { reply(slot, to: message, .ok(), &actions) }
  }

  /// A broadcast of the project's own server; how many members it went to. `payload` is JSON text.
  public func broadcast(topic: String, event: String, payload: [UInt8], into actions: inout [HubAction]) -> Int {
    counts.serverBroadcasts += 1
    guard let room = rooms[Array(topic.utf8)] else { return 0 }
    deliver(event: event, raw: payload[...], in: room, but: -1, &actions)
    return room.members.count
  }

  private func deliver(
    event: String, raw: ArraySlice<UInt8>, in room: PalbaseRoom, but sender: Int, _ actions: inout [HubAction]
  ) {
    var frames = PalbaseFrames(topic: room.quoted, event: "broadcast") {
      PalbaseServerMessage.writeBroadcast(event: event, payload: raw.isEmpty ? Array("{}".utf8)[...] : raw, into: &$0)
    }
    for member in room.members where member.slot != sender {
      counts.deliveries += 1
      actions.append(.send(slot: member.slot, frame: frames.frame(connections[member.slot].version)))
    }
  }

  // MARK: State

  /// Sets an entry, which is the writer's from now on. `raw` is the value, JSON text that was checked.
  func set(
    _ slot: Int, _ message: PalbaseClientMessage, key: String, raw: ArraySlice<UInt8>, life: PalbaseLife,
    at now: Instant, _ actions: inout [HubAction]
  ) {
    let event = options.wire.stateSet
    guard let (membership, member) = writer(slot, message, event: event, at: now, &actions) else { return }
    guard !key.isEmpty else { return refuse(slot, message, event: event, "invalid_payload", &actions) }
    let entry = RoomState.Entry(
      key: key, value: raw.isEmpty ? Array("null".utf8) : Array(raw), life: life, writer: member.connection,
      subject: member.subject)
    let room = membership.room
    let growth = entry.bytes - (room.state[key]?.bytes ?? 0)
    // What makes a state smaller is let through even where it is too large.
    if growth > 0, room.state.bytes + growth > limits.stateBytes || stateBytes + growth > options.totalStateBytes {
      return refuse(slot, message, event: event, PalbaseReason.stateBudget.rawValue, &actions)
    }
    room.state.set(entry)
    stateBytes += growth
    tellChange(key, entry, in: room, &actions)
  }

  /// Removes an entry of the sender's own; an absent one is gone already.
  func delete(
    _ slot: Int, _ message: PalbaseClientMessage, key: String, at now: Instant, _ actions: inout [HubAction]
  ) {
    let event = options.wire.stateDelete
    guard let (membership, member) = writer(slot, message, event: event, at: now, &actions),
      let entry = membership.room.state[key]
    else { return }
    guard entry.isOwn(of: member.connection, subject: member.subject) else {
      return refuse(slot, message, event: event, PalbaseReason.forbidden.rawValue, &actions)
    }
    remove(key, in: membership.room, &actions)
  }

  /// A member who may write, within the rates; nil, and told to the sender, where not.
  private func writer(
    _ slot: Int, _ message: PalbaseClientMessage, event: String, at now: Instant, _ actions: inout [HubAction]
  ) -> (membership: PalbaseHubConnection.Membership, member: PalbaseRoom.Member)? {
    guard let found = member(slot, message, event: event, may: \.stateWrite, &actions) else { return nil }
    guard connections[slot].stateWrites.hasRoom(limits.stateWritesPerSecond, at: now),
      projectStateWrites.admits(limits.projectStateWritesPerSecond, at: now)
    else {
      refuse(slot, message, event: event, PalbaseReason.rateLimited.rawValue, &actions)
      return nil
    }
    connections[slot].stateWrites.take(at: now)
    return found
  }

  /// Removes an entry, and tells those who are on the channel.
  func remove(_ key: String, in room: PalbaseRoom, _ actions: inout [HubAction]) {
    guard let removed = room.state.remove(key) else { return }
    stateBytes -= removed.bytes
    tellChange(key, nil, in: room, &actions)
  }

  private func tellChange(
    _ key: String, _ entry: RoomState.Entry?, in room: PalbaseRoom, _ actions: inout [HubAction]
  ) {
    counts.changes += 1
    var (own, others) = (frames(key, entry, isOwn: true, in: room), frames(key, entry, isOwn: false, in: room))
    for member in room.members where member.rights.stateRead {
      let version = connections[member.slot].version
      let isOwn = entry?.isOwn(of: member.connection, subject: member.subject) ?? false
      actions.append(.send(slot: member.slot, frame: isOwn ? own.frame(version) : others.frame(version)))
    }
  }

  private func frames(
    _ key: String, _ entry: RoomState.Entry?, isOwn: Bool, in room: PalbaseRoom
  ) -> PalbaseFrames {
    PalbaseFrames(topic: room.quoted, event: options.wire.stateChange) { bytes in
      PalbaseServerMessage.writeChange(key: key, version: room.state.version, into: &bytes) { bytes in
        guard let entry else { return JSONText.append("null", to: &bytes) }
        PalbaseEntry.write(value: entry.value, life: entry.life, isOwn: isOwn, into: &bytes)
      }
    }
  }

  /// Sends the whole state to who asked for it.
  func sendStateAsked(_ slot: Int, _ message: PalbaseClientMessage, _ actions: inout [HubAction]) {
    let event = options.wire.stateGet
    guard let (membership, member) = member(slot, message, event: event, may: \.stateRead, &actions) else { return }
    sendState(member, membership.room, &actions)
  }

  func sendState(_ member: PalbaseRoom.Member, _ room: PalbaseRoom, _ actions: inout [HubAction]) {
    counts.states += 1
    let version = connections[member.slot].version
    actions.append(.send(slot: member.slot, frame: room.stateFrame(version, event: options.wire.state, for: member)))
  }
}
