import Core
import Network
import WebSocket

/// A fault that begins, or acts, on one connection at a time of its own: after so long, behind a message, at an age.
///
/// @unchecked: confined to its proxy's loop.
final class OwnTime: LoopTimer, @unchecked Sendable {
  enum Phase {
    /// Its time has not come.
    case waiting
    /// The fault is on for this connection.
    case on
    /// It has been, and does not come again.
    case over
  }

  /// The relay holds this and takes it out of the loop as it goes.
  private unowned(unsafe) let relay: Relay
  let run: FaultRun
  /// The run's activation it belongs to.
  let activation: Int
  var phase = Phase.waiting
  /// Counts the messages of both directions, where it waits for one.
  private let matcher: MessageMatcher?

  init(_ relay: Relay, _ run: FaultRun, _ scope: FaultScope) {
    self.relay = relay
    self.run = run
    activation = run.activation
    matcher =
      if case .onMessage(let match, _, _, _, _) = run.entry.trigger {
        MessageMatcher(match, random: scope.random())
      } else { nil }
  }

  override func fire() {
    // The loop holds this timer, not the relay.
    let relay = relay
    withExtendedLifetime(relay) { relay.turn(self) }
  }

  /// What watches a direction for the message that it waits for; nil if it waits for none there.
  func filter(_ direction: Direction) -> FrameFilter? {
    guard let matcher, case .onMessage(_, let nth, let ways, _, _) = run.entry.trigger, ways.contains(direction) else {
      return nil
    }
    return Watch(matcher, nth: nth)
  }

  /// Says `.drop` of the message that is waited for, which passes all the same.
  ///
  /// @unchecked: confined to its connection's loop.
  private final class Watch: FrameFilter, @unchecked Sendable {
    private let matcher: MessageMatcher
    private let nth: Int
    init(_ matcher: MessageMatcher, nth: Int) {
      self.matcher = matcher
      self.nth = nth
    }

    override var wantsMessages: Bool { matcher.match.matchesData }
    override func control(_ header: FrameHeader, at now: Instant) -> FrameDecision {
      matcher.takes(control: header.opcode.controlMatch) && matcher.seen == nth ? .drop : .pass
    }
    override func message(_ message: WireMessage, at now: Instant) -> MessageDecision {
      matcher.takes(message) && matcher.seen == nth ? .drop : .pass
    }
  }
}

/// Faults that begin on each connection at a time of its own.
extension Relay {
  /// Takes out of `hits` what has not begun here or is over; answers what waits for a message.
  func takeOwnTimes(_ hits: inout [FaultRun]) -> [OwnTime] {
    if !own.isEmpty {
      for one in own where !one.run.isOn || one.run.activation != one.activation { proxy.loop.disarm(one) }
      own.removeAll { !$0.run.isOn || $0.run.activation != $0.activation }
    }
    guard hits.contains(where: \.entry.needsOwnTimes) else { return [] }
    for run in hits where run.entry.needsOwnTimes { addOwnTime(run) }
    hits.removeAll { run in
      run.entry.trigger.isPerConnection && !own.contains { $0.run === run && $0.phase == .on }
    }
    return own.filter { $0.phase == .waiting && $0.run.entry.trigger.needsMessages }
  }

  private func addOwnTime(_ run: FaultRun) {
    if own.contains(where: { $0.run === run }) { return }
    let scope = proxy.scope(run, subject, attempt: attempt)
    let one = OwnTime(self, run, scope)
    own.append(one)
    switch run.entry.trigger {
    case .afterConnect(let delay, _, _): proxy.loop.arm(one, at: now + delay)
    case .onMessage: break
    case .at, .every: proxy.loop.arm(one, at: now + run.entry.fault.age(scope))
    }
  }

  /// The time of a fault has come on this connection, or is over.
  func turn(_ one: OwnTime) {
    if isOver || !one.run.isOn || one.run.activation != one.activation { return }
    let entry = one.run.entry
    switch one.phase {
    case .over: return
    case .on:
      one.phase = .over
      takeFaultsInAndResume()
      endSilence()
    case .waiting:
      let isMoment = type(of: entry.fault).isMoment || !entry.trigger.isPerConnection
      one.phase = isMoment ? .over : .on
      if !isMoment, let length = entry.trigger.length { proxy.loop.arm(one, at: now + length) }
      if !entry.fault.hooks.isDisjoint(with: [.connections, .ages]) {
        proxy.touch(one.run, subject)
        entry.fault.apply(to: self, proxy.scope(one.run, subject, attempt: attempt))
        if isOver { return }
      }
      takeFaultsIn()
    }
  }
}
