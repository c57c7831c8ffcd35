import Core
import JSON
import Protocols
import WebSocket

/// The palbase server without its sockets: takes what happens on connections and appends what is to be done. No I/O, no
/// clock.
///
/// Messages are processed one after another, in the order given. Connections are known by slots, small numbers that are
/// used again after `close`. Confined to its owner.
public final class PalbaseHub {
  let options: PalbaseServerOptions
  private let classifier: PalbaseClassifier
  var tokens: TokenBook
  var rules: ChannelRules
  /// What holds now: at most `options.limits`.
  public internal(set) var limits: PalbaseLimits
  /// Whether new sockets are refused because the project's quota is used up.
  public var isQuotaUsedUp: Bool
  var connections: [PalbaseHubConnection] = []
  private var freeSlots: [Int] = []
  private var lastNumber: UInt64 = 0
  /// By the bytes of the topic: strings compare by what they look like.
  var rooms: [[UInt8]: PalbaseRoom] = [:]
  var projectBroadcasts = RateWindow()
  var projectStateWrites = RateWindow()
  var stateBytes = 0
  var counts = PalbaseStatistics()

  public init(options: PalbaseServerOptions = PalbaseServerOptions()) {
    self.options = options
    classifier = PalbaseClassifier(wire: options.wire)
    tokens = TokenBook(known: options.tokens, conventions: options.tokenConventions)
    rules = ChannelRules(projectRef: options.projectRef, declarations: options.channels)
    limits = options.limits
    isQuotaUsedUp = options.isQuotaUsedUp
  }

  public var statistics: PalbaseStatistics {
    var statistics = counts
    statistics.stateBytes = stateBytes
    statistics.channels = rooms.count
    return statistics
  }

  // MARK: Connections

  /// Why a new socket is refused; nil if it is let in.
  public enum ConnectionRefusal: String, Hashable, Sendable {
    case connectionLimit = "connection_limit"
    case quotaUsedUp = "quota_used_up"
  }

  /// Asked before an upgrade; a refusal is counted.
  public func refusal() -> ConnectionRefusal? {
    let refusal: ConnectionRefusal? =
      isQuotaUsedUp ? .quotaUsedUp : counts.open >= limits.connections ? .connectionLimit : nil
    if refusal != nil { counts.refusedConnections += 1 }
    return refusal
  }

  /// A connection was opened; its slot. `version` is what it said it speaks, until it speaks.
  public func open(version: PalbaseVersion = .object) -> Int {
    counts.opened += 1
    counts.open += 1
    lastNumber += 1
    var connection = PalbaseHubConnection(version: version)
    connection.number = lastNumber
    guard let slot = freeSlots.popLast() else {
      connections.append(connection)
      return connections.count - 1
    }
    connections[slot] = connection
    return slot
  }

  /// A connection is gone, and its memberships and ephemeral entries with it. Its slot may be given to another.
  public func close(_ slot: Int, into actions: inout [HubAction]) {
    guard isOpen(slot) else { return }
    connections[slot].isOpen = false
    while !connections[slot].memberships.isEmpty { endMembership(slot, 0, &actions) }
    freeSlots.append(slot)
    counts.open -= 1
  }

  func isOpen(_ slot: Int) -> Bool { connections.indices.contains(slot) && connections[slot].isOpen }

  // MARK: Messages

  /// A message has come.
  public func receive(_ slot: Int, isText: Bool, payload: [UInt8], at now: Instant, into actions: inout [HubAction]) {
    guard isOpen(slot) else { return }
    counts.messages += 1
    guard isText else { return reject(slot, code: 1003, "palbase messages are text", &actions) }
    guard let (envelope, facts) = classifier.read(payload, direction: .up) else {
      return reject(slot, code: 1008, "no palbase message", &actions)
    }
    connections[slot].version = envelope.version
    let message: PalbaseClientMessage
    do throws(PalbaseDecodingError) {
      message = try PalbaseClientMessage.decode(payload, envelope: envelope, facts: facts)
    } catch {
      return answer(slot, unreadable: payload, facts, error, &actions)
    }
    handle(slot, message, raw: payload[facts.value?.range ?? 0..<0], at: now, &actions)
  }

  private func handle(
    _ slot: Int, _ message: PalbaseClientMessage, raw: ArraySlice<UInt8>, at now: Instant,
    _ actions: inout [HubAction]
  ) {
    switch message.body {
    case .heartbeat:
      counts.heartbeats += 1
      reply(slot, to: message, .ok(), &actions)
    case .join(let token, _, let acknowledges):
      join(slot, message, token: token, acknowledges: acknowledges, at: now, &actions)
    case .leave:
      counts.leaves += 1
      reply(slot, to: message, .ok(), &actions)
      if let place = connections[slot].find(message.topic) { endMembership(slot, place, &actions) }
    case .accessToken(let token): refresh(slot, message, token: token, &actions)
    case .broadcast(let event, _): broadcast(slot, message, event: event, raw: raw, at: now, &actions)
    case .stateSet(let key, _, let life): set(slot, message, key: key, raw: raw, life: life, at: now, &actions)
    case .stateDelete(let key): delete(slot, message, key: key, at: now, &actions)
    case .stateGet: sendStateAsked(slot, message, &actions)
    }
  }

  private func reject(_ slot: Int, code: UInt16, _ reason: String, _ actions: inout [HubAction]) {
    counts.malformed += 1
    actions.append(.close(slot: slot, code: code, reason: reason))
    // Nothing behind a bad message is processed.
    close(slot, into: &actions)
  }

  /// A message with an envelope that is not what its event needs, or whose event has no meaning: told by name.
  private func answer(
    _ slot: Int, unreadable payload: [UInt8], _ facts: MessageFacts, _ error: PalbaseDecodingError,
    _ actions: inout [HubAction]
  ) {
    guard let topicRange = facts.path, let topic = JSONText.string(of: payload[topicRange.range]),
      let nameRange = facts.name, let event = JSONText.string(of: payload[nameRange.range]),
      let envelope = payload.withUnsafeBytes({ PalbaseEnvelope($0) }), topic.utf8.count <= Self.longestEcho,
      event.utf8.count <= Self.longestEcho
    else { return reject(slot, code: 1008, "\(error)", &actions) }
    if facts.kind == .unclassified {
      counts.unknown += 1
      guard let element = envelope.ref, element.kind == .string,
        let ref = JSONText.string(of: payload[element.value.range])
      else { return }
      let message = PalbaseServerMessage(.refusedReply(reason: "unknown_event"), topic: topic, ref: .text(ref))
      return send(slot, message, &actions)
    }
    counts.malformed += 1
    send(slot, PalbaseServerMessage(.refused(event: event, reason: "invalid_payload"), topic: topic), &actions)
  }

  /// A longer topic or event is not repeated to its sender.
  private static let longestEcho = 1024

  // MARK: Sending

  /// Sends a message to one connection, in the version it speaks.
  func send(_ slot: Int, _ message: PalbaseServerMessage, _ actions: inout [HubAction]) {
    let version = connections[slot].version
    let frame = ServerFrame.make(capacity: 128) { message.encode(version, wire: options.wire, into: &$0) }
    actions.append(.send(slot: slot, frame: frame))
  }

  func reply(
    _ slot: Int, to message: PalbaseClientMessage, _ body: PalbaseServerMessage.Body, _ actions: inout [HubAction]
  ) {
    send(
      slot, PalbaseServerMessage(body, topic: message.topic, ref: message.ref, joinRef: message.joinRef), &actions)
  }

  /// Tells a sender that what it sent was refused.
  func refuse(
    _ slot: Int, _ message: PalbaseClientMessage, event: String, _ reason: String, _ actions: inout [HubAction]
  ) {
    counts.refused += 1
    send(slot, PalbaseServerMessage(.refused(event: event, reason: reason), topic: message.topic), &actions)
  }

  /// The token is refused as ended from now on: its user signed out. Memberships stay until it is shown again.
  public func revoke(token: String) { tokens.revoke(token) }
}
