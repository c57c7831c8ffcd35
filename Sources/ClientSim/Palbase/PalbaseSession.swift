import Core
import JSON
import Metrics
import Protocols

/// A palbase client's realtime, as its document has it.
///
/// The socket opens with the first channel wanted, and closes when none is wanted or the user changes. A dropped socket
/// is opened again after the policy's pauses, and every wanted channel joined again. Where the document leaves a choice:
/// - A broadcast or a state write on a channel that is not joined is dropped and counted.
/// - A join that was refused for good is wanted no longer, as the app's `join()` threw; one that was `unavailable` is
///   asked again on the same socket, after the pauses of the reconnect policy.
/// - A channel that the server ends (`phx_close`) is left; one that fails (`phx_error`) is treated as a refused join of
///   that reason, and without a known reason as `unavailable`.
/// - A missed change asks for the whole state, and asks again with the next heartbeat if nothing came.
/// - A message that is none of the protocol is counted and passed over.
public struct PalbaseSession: ClientSession {
  enum Phase: UInt8 {
    /// No socket, and none is wanted; or offline.
    case off
    /// Pauses before the next attempt.
    case waiting
    case connecting
    case open
    case stopped
  }

  /// How often a client sends a heartbeat.
  public static let defaultHeartbeat = Duration.seconds(25)

  let context: SessionContext
  var phase = Phase.off
  var isStarted = false
  /// Kept from the network by the scenario.
  var isOffline = false
  var comeback: Comeback
  var retryRandom: SeededRandom
  /// The user's token; a refreshed one takes its place.
  var token: String?
  /// Wanted, in the order wanted.
  var channels: [PalbaseChannel] = []
  var nextRef: Int64 = 1

  // The connection.
  /// The heartbeat that is not answered yet.
  var heartbeat: (ref: Int64, sent: Instant)?
  var outageBegan: Instant?
  var isLive = false

  /// The socket's state.
  public internal(set) var status = PalbaseStatus(.idle, since: .zero)
  /// How often the socket opened again after it had been open: one drop and its return is one.
  public internal(set) var reconnects = 0
  /// Broadcasts and state writes that were dropped because there was nobody to send them to.
  public internal(set) var droppedWhileDown = 0

  public init(_ context: SessionContext) {
    self.context = context
    token = context.token
    comeback = Comeback(context)
    retryRandom = SeededRandom(
      seed: context.seed, purpose: .backoff, subject: 1 << 32 | UInt64(context.client.number))
  }

  public mutating func handle(_ event: SessionEvent, at now: Instant, into actions: inout [SessionAction]) {
    if phase == .stopped { return }
    switch event {
    case .start: start(at: now, &actions)
    case .opened: opened(at: now, &actions)
    case .connectFailed(let failure): connectFailed(failure, at: now, &actions)
    case .message(let message): received(message, at: now, &actions)
    case .closed(let closure): closed(closure, at: now, &actions)
    case .timer(.reconnect): if phase == .waiting { connect(at: now, &actions) }
    case .timer(.ping): beat(at: now, &actions)
    case .timer(.retry): retryJoins(at: now, &actions)
    case .command(let command): obey(command, at: now, &actions)
    case .ping, .pong: break
    }
  }

  public var condition: SessionCondition {
    let link: SessionCondition.Link =
      switch phase {
      case .off, .stopped: .off
      case .waiting, .connecting: .reconnecting
      case .open: .connected
      }
    return SessionCondition(link: link, isLive: link == .off || isLive, unanswered: 0)
  }

  /// The channels that are joined; what they show is not compared by an audit.
  public var shownValues: [ShownValue] {
    channels.compactMap { channel in
      guard channel.isJoined else { return nil }
      return ShownValue(
        subscription: channel.place, path: channel.topic, arguments: "", key: channel.key, value: nil)
    }
  }

  /// A channel's state as the server last told it; empty for one that is not joined.
  public func entries(of topic: String) -> [String: PalbaseEntry] { find(topic).map { channels[$0].entries } ?? [:] }
  /// Whether a channel is joined.
  public func isJoined(_ topic: String) -> Bool { find(topic).map { channels[$0].isJoined } ?? false }

  func find(_ topic: String) -> Int? { channels.firstIndex { $0.topic.utf8.elementsEqual(topic.utf8) } }

  mutating func makeRef() -> Int64 {
    defer { nextRef &+= 1 }
    return nextRef
  }

  func tell(_ intent: @autoclosure () -> Intent, _ actions: inout [SessionAction]) {
    if context.wantsIntents { actions.append(.intent(intent())) }
  }

  /// Sends a message of a channel, or one without.
  func send(_ message: PalbaseClientMessage, _ actions: inout [SessionAction]) {
    actions.append(.send(message.encoded(.object, wire: context.wire)))
  }

  mutating func change(to state: PalbaseStatus.State, at now: Instant, _ actions: inout [SessionAction]) {
    guard status.state != state else { return }
    status = PalbaseStatus(state, since: now)
    tell(.socket(state: state.rawValue), &actions)
  }

  mutating func updateLive(at now: Instant, _ actions: inout [SessionAction]) {
    let live = channels.isEmpty || (phase == .open && channels.allSatisfy(\.isJoined))
    guard live != isLive else { return }
    isLive = live
    actions.append(.measure(live ? .live : .notLive))
    if live, let drop = outageBegan {
      outageBegan = nil
      actions.append(.measure(.took(.offline, now - drop, intended: drop)))
    }
  }
}
