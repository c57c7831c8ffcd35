import Core
import Protocols

extension PalbaseHub {
  /// Lets a user onto a channel, or says why not.
  func join(
    _ slot: Int, _ message: PalbaseClientMessage, token: String?, acknowledges: Bool, at now: Instant,
    _ actions: inout [HubAction]
  ) {
    switch admission(slot, message.topic, token: token, at: now) {
    case .failure(let refusal):
      counts.refusedJoins += 1
      // A topic of any length is repeated: it is how the sender knows what was refused.
      reply(slot, to: message, .refusedReply(reason: refusal.reason.rawValue), &actions)
    case .success(let (subject, rights)):
      counts.joins += 1
      let room = room(message.topic)
      let member = PalbaseRoom.Member(
        slot: slot, connection: connections[slot].number, subject: subject, rights: rights)
      if let place = connections[slot].find(room) {
        // Joined again: the membership and what it wrote stay, its user and rights are those of now.
        connections[slot].memberships[place].joinRef = message.joinRef
        connections[slot].memberships[place].acknowledges = acknowledges
        room.members[connections[slot].memberships[place].place] = member
      } else {
        connections[slot].memberships.append(
          .init(room: room, place: room.members.count, joinRef: message.joinRef, acknowledges: acknowledges))
        room.members.append(member)
      }
      reply(slot, to: message, .ok(), &actions)
      if rights.stateRead { sendState(member, room, &actions) }
    }
  }

  struct JoinRefusal: Error {
    var reason: PalbaseReason
    init(_ reason: PalbaseReason) { self.reason = reason }
  }

  /// Who joins and what he may do, or the reason why he may not.
  private func admission(
    _ slot: Int, _ topic: String, token: String?, at now: Instant
  ) -> Result<(subject: String, rights: ChannelRights), JoinRefusal> {
    guard connections[slot].joins.admits(limits.joinsPerSecond, at: now) else {
      return .failure(JoinRefusal(.rateLimited))
    }
    if PalbaseTopic.mistake(topic) != nil { return .failure(JoinRefusal(.invalidTopic)) }
    let subject: String
    switch subjectOf(token) {
    case .failure(let refusal): return .failure(refusal)
    case .success(let known): subject = known
    }
    guard let rights = rules.rights(topic: topic, subject: subject) else { return .failure(JoinRefusal(.forbidden)) }
    let isMember = connections[slot].find(topic) != nil
    if !isMember, connections[slot].memberships.count >= limits.channelsPerConnection {
      return .failure(JoinRefusal(.tooManyChannels))
    }
    // A state that grew before its limit was lowered is not handed out.
    if rights.stateRead, let room = rooms[Array(topic.utf8)], room.state.bytes > limits.stateBytes {
      return .failure(JoinRefusal(.stateBudget))
    }
    return .success((subject, rights))
  }

  private func subjectOf(_ token: String?) -> Result<String, JoinRefusal> {
    switch tokens.verdict(for: token) {
    case .valid(let identity): .success(identity.subject)
    case .anonymous, .refused(_, ended: true): .failure(JoinRefusal(.unauthorized))
    case .refused(_, ended: false): .failure(JoinRefusal(.unavailable))
    }
  }

  /// A refreshed token for a channel: what it says holds from now on, and a bad one ends the membership.
  func refresh(_ slot: Int, _ message: PalbaseClientMessage, token: String?, _ actions: inout [HubAction]) {
    counts.tokenRefreshes += 1
    guard let place = connections[slot].find(message.topic) else {
      if message.ref != nil {
        reply(slot, to: message, .refusedReply(reason: PalbaseReason.forbidden.rawValue), &actions)
      }
      return
    }
    let membership = connections[slot].memberships[place]
    switch subjectOf(token) {
    case .failure(let refusal) where refusal.reason == .unavailable:
      // What could not be checked changes nothing.
      if message.ref != nil { reply(slot, to: message, .refusedReply(reason: refusal.reason.rawValue), &actions) }
    case .failure(let refusal): fail(slot, place, refusal.reason, &actions)
    case .success(let subject):
      guard let rights = rules.rights(topic: message.topic, subject: subject) else {
        return fail(slot, place, .forbidden, &actions)
      }
      membership.room.members[membership.place].subject = subject
      membership.room.members[membership.place].rights = rights
      if message.ref != nil { reply(slot, to: message, .ok(), &actions) }
    }
  }

  /// Ends a membership with an error.
  private func fail(_ slot: Int, _ place: Int, _ reason: PalbaseReason, _ actions: inout [HubAction]) {
    counts.endedMemberships += 1
    let membership = connections[slot].memberships[place]
    send(
      slot,
      PalbaseServerMessage(
        .failed(reason: reason.rawValue), topic: membership.room.topic, ref: membership.joinRef,
        joinRef: membership.joinRef), &actions)
    endMembership(slot, place, &actions)
  }

  /// Takes a connection off a channel, and its ephemeral entries with it.
  func endMembership(_ slot: Int, _ place: Int, _ actions: inout [HubAction]) {
    let membership = connections[slot].memberships.remove(at: place)
    let room = membership.room
    // The last member takes the place that falls free: constant cost in storms of reconnects.
    let last = room.members.removeLast()
    if membership.place < room.members.count {
      room.members[membership.place] = last
      if let moved = connections[last.slot].find(room) {
        connections[last.slot].memberships[moved].place = membership.place
      }
    }
    for key in room.state.ephemeralKeys(of: connections[slot].number) { remove(key, in: room, &actions) }
    dropIfEmpty(room)
  }

  // MARK: Rooms

  private func room(_ topic: String) -> PalbaseRoom {
    let key = Array(topic.utf8)
    if let known = rooms[key] { return known }
    let room = PalbaseRoom(topic: topic)
    rooms[key] = room
    return room
  }

  func dropIfEmpty(_ room: PalbaseRoom) {
    if room.isEmpty { rooms[Array(room.topic.utf8)] = nil }
  }
}
