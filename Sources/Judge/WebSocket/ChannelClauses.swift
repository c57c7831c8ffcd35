import Core
import JSON
import Protocols

/// One channel of a connection, as its client sees it.
struct ChannelView: Sendable {
  /// Hash of the topic.
  var topic: UInt64
  /// The ref of the last join.
  var ref: Int64?
  var isJoined = false
}

/// The channels of a Phoenix client's connection.
struct ChannelTable: Sendable {
  static let capacity = 64
  private(set) var channels: [ChannelView] = []

  func channel(_ topic: UInt64) -> ChannelView? { channels.first { $0.topic == topic } }

  /// Takes a message in, after it was judged. Foreign clients send joins of other shapes than palbase's, so the event's
  /// name counts, not whether its payload is palbase's.
  mutating func take(_ message: WireMessage, _ direction: Direction) {
    guard let topic = message.topicHash else { return }
    let index = channels.firstIndex { $0.topic == topic }
    switch (message.channelEvent, direction) {
    case (.join, .up):
      let channel = ChannelView(topic: topic, ref: message.facts.request)
      if let index { channels[index] = channel } else if channels.count < Self.capacity { channels.append(channel) }
    case (.leave, .up): if let index { channels.remove(at: index) }
    case (.reply, .down):
      guard let index, channels[index].ref == message.facts.request else { return }
      if message.facts.flags.contains(.ok) { channels[index].isJoined = true } else { channels.remove(at: index) }
    case (.ended, .down): if let index { channels.remove(at: index) }
    default: break
    }
  }
}

extension WireMessage {
  enum ChannelEvent { case join, leave, reply, ended, other }

  /// Hash of the topic; nil for what is no message of the protocol.
  var topicHash: UInt64? { facts.path.map { StableHash.of(bytes($0)) } }

  var channelEvent: ChannelEvent {
    let name = bytes(facts.name)
    if JSONText.equals(name, "phx_join") { return .join }
    if JSONText.equals(name, "phx_leave") { return .leave }
    if JSONText.equals(name, "phx_reply") { return .reply }
    if JSONText.equals(name, "phx_close") || JSONText.equals(name, "phx_error") { return .ended }
    return .other
  }
}

/// WS-C13: a channel that is joined is not joined again.
struct JoinsOnce: TallyingClause {
  static let info = ClauseInfo(
    "WS-C13", .client, .connection, "A channel that is joined on a connection is not joined again on it.")
  static let topics = Topics.near(.otherUp, .otherDown)

  var tally = Tally()
  private var states = PerConnection(ChannelTable())

  init(_ options: JudgeOptions) {}

  var tolerance: String { "no join between an ok reply to one and a leave, a close or an error of the channel" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    if observation.direction == .up, message.channelEvent == .join, let topic = message.topicHash {
      if states[place].channel(topic)?.isJoined == true {
        violate(
          "a channel is joined again on the connection on which it is joined already", at: observation.time, place,
          &scene, faults: observation.faults)
      } else {
        tally.kept(faults: observation.faults)
      }
    }
    states[place].take(message, observation.direction)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) { states.forget(place) }
}

/// WS-C14: on a new connection a channel is joined before it is left.
struct JoinsBeforeItLeaves: TallyingClause {
  static let info = ClauseInfo(
    "WS-C14", .client, .connection, "No channel is left on a connection on which it was not joined before.")
  static let topics = Topics.near(.otherUp)

  var tally = Tally()
  /// Hashes of the topics that were joined.
  private var states = PerConnection([UInt64]())

  init(_ options: JudgeOptions) {}

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard let topic = message.topicHash else { return }
    switch message.channelEvent {
    case .join:
      guard !states[place].contains(topic), states[place].count < ChannelTable.capacity else { return }
      states[place].append(topic)
      // Only on a later connection of a client is there something of an earlier one to leave.
      if place.hasClient, scene.clients[place.client].openings > 1 { tally.kept(faults: observation.faults) }
    case .leave:
      if states[place].contains(topic) { return tally.kept(faults: observation.faults) }
      if states[place].count == ChannelTable.capacity {
        return tally.doubted("a connection has more channels than are remembered", at: observation.time)
      }
      violate(
        "a channel is left on a connection on which it was not joined", at: observation.time, place, &scene,
        faults: observation.faults)
    default: break
    }
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) { states.forget(place) }
}

/// WS-C17: what was joined when the connection was lost is joined again on the next.
struct JoinsAgain: TallyingClause {
  static let info = ClauseInfo(
    "WS-C17", .client, .client, "Channels that were joined at the drop are joined again on the next connection.")
  static let topics = Topics.near(.otherUp, .otherDown)

  var tally = Tally()
  private var tables = PerConnection(ChannelTable())
  private struct Wanted { var topics: [UInt64] = []; var faults: FaultSet = [] }
  private var states = PerClient(Wanted())
  private let bound: Duration

  init(_ options: JudgeOptions) { bound = options.resubscribeBound }

  var tolerance: String {
    "a join of each within \(Quantity.text(bound)) of the opening; a part missing is inconclusive, as channels may have been "
      + "given up"
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    tables[place].take(message, observation.direction)
    guard place.hasClient, observation.direction == .up, message.channelEvent == .join, let topic = message.topicHash,
      let index = states[place].topics.firstIndex(of: topic)
    else { return }
    states[place].topics.remove(at: index)
    tally.kept(faults: states[place].faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    let joined = tables[place].channels.filter(\.isJoined).map(\.topic)
    let hasJoins = !tables[place].channels.isEmpty
    tables.forget(place)
    let connection = scene.connections[place.connection]
    guard place.hasClient, let opened = connection.near.opened else { return }
    let missing = states[place].topics
    if !missing.isEmpty, !scene.clients[place.client].isStopped {
      judge(missing, hasJoins, opened, time, place, &scene)
    }
    let isOver = cut || Departure(connection, at: time) == .ownClose
    states[place] = Wanted(topics: isOver ? [] : joined, faults: connection.near.endedFaults)
    // What an opening too short for joins had to do is left to the next one.
    if !isOver, !missing.isEmpty, time - opened <= bound {
      states[place].topics += missing.filter { !joined.contains($0) }
    }
  }

  private mutating func judge(
    _ missing: [UInt64], _ hasJoins: Bool, _ opened: Instant, _ time: Instant, _ place: Place, _ scene: inout Scene
  ) {
    guard time - opened > bound else {
      return tally.doubted("a connection ended before its channels were due", at: time)
    }
    guard !hasJoins else {
      return tally.doubted("a part of the channels was not joined again; they may have been given up", at: time)
    }
    violate(
      "none of the \(missing.count) channels that were joined at the drop is joined again within "
        + "\(Quantity.text(time - opened)) of the next opening", at: time, place, &scene,
      severity: Double(missing.count),
      faults: states[place].faults)
  }
}
