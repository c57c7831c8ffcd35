import Core
import Network
import Protocols
import WebSocket

/// One simulated client: its session, its workload, its one connection, and its one timer.
///
/// What happens is handled where it is told, on the loop, without waking a task: the client's task only waits for the
/// end, so that it can be cancelled with all others.
/// @unchecked: confined to its fleet runner's loop.
final class ClientRunner: LoopTimer, WebSocketHandler, @unchecked Sendable {
  /// How long the end waits for the server to end a connection that was closed in an orderly way.
  static let drainTime = Duration.seconds(1)

  let id: ClientID
  let plan: FleetPlan
  /// Which subscriptions were live for which mutations.
  @exclusivity(unchecked) var windows: [ReceiverWindow] = []
  // The fleet holds its clients, and every task of theirs lives within its `run`.
  unowned(unsafe) private let fleet: FleetRunner
  @exclusivity(unchecked) private var session: any ClientSession
  @exclusivity(unchecked) private var workload: FleetWorkload?
  @exclusivity(unchecked) private var deadlines = DeadlineSet()
  @exclusivity(unchecked) private var armedFor: Instant?
  @exclusivity(unchecked) private var connection: WebSocketConnection?
  private var dial: ConnectHandle?
  /// Tells a dial from those given up before it.
  private var dialNumber: UInt32 = 0
  @exclusivity(unchecked) private var isOpen = false
  /// When the present connection opened, or the last one did.
  private(set) var openedAt = Instant.zero
  private var isStarted = false
  private(set) var isStopped = false
  private var link = SessionCondition.Link.off
  /// Closed by us, and not ended yet.
  private var draining: WebSocketConnection?
  private let end: Waiter

  init(_ id: ClientID, _ plan: FleetPlan, _ fleet: FleetRunner, session: any ClientSession) {
    self.id = id
    self.plan = plan
    self.fleet = fleet
    self.session = session
    end = Waiter(loop: fleet.loop, label: plan.label(of: id))
  }

  var condition: SessionCondition {
    isStarted || isStopped ? session.condition : SessionCondition(link: .off, isLive: false, unanswered: 0)
  }
  var shownValues: [ShownValue] { session.shownValues }

  // MARK: Life

  /// Lives until it is told to stop, or its task is cancelled; leaves nothing open.
  func live(from start: Instant) async {
    deadlines[.start] = start
    rearm()
    do throws(CancellationError) {
      try await end.wait()
      if draining != nil {
        deadlines[.drain] = fleet.loop.now + Self.drainTime
        rearm()
        try await end.wait()
      }
    } catch {
      // Cancelled, as all others are.
      fleet.isStopping = true
    }
    stop()
    draining?.handler = nil
    draining?.abort()
    draining = nil
    deadlines = DeadlineSet()
    rearm()
  }

  /// Tells the task to end.
  func finish() {
    stop()
    end.signal()
  }

  private func stop() {
    if isStopped { return }
    isStopped = true
    if isStarted { give(.command(.stop), at: fleet.loop.now) }
    deadlines = DeadlineSet()
    rearm()
  }

  /// No more calls, and no start that has not come yet.
  func stopWorkload() {
    workload = nil
    deadlines[.workload] = nil
    if deadlines[.start] != nil {
      deadlines[.start] = nil
      isStopped = true
    }
    rearm()
  }

  // MARK: Time

  override func fire() {
    armedFor = nil
    let now = fleet.loop.now
    while let kind = deadlines.takeDue(at: now) {
      switch kind {
      case .start: start(at: now)
      case .reconnect: give(.timer(.reconnect), at: now)
      case .ping: give(.timer(.ping), at: now)
      case .retry: give(.timer(.retry), at: now)
      case .workload: work(at: now)
      case .drain: end.signal()
      }
    }
    rearm()
  }

  private func rearm() {
    let next = deadlines.next
    if next == armedFor { return }
    armedFor = next
    if let next { fleet.loop.arm(self, at: next) } else { fleet.loop.disarm(self) }
  }

  private func start(at now: Instant) {
    isStarted = true
    fleet.started(self, at: now)
    if !plan.calls.isEmpty, !fleet.isSettling {
      workload = FleetWorkload(fleet.context(of: id, plan), start: now)
      deadlines[.workload] = workload?.nextDue
    }
    give(.start, at: now)
  }

  private func work(at now: Instant) {
    var commands: [SessionCommand] = []
    workload?.takeDue(at: now, into: &commands)
    for command in commands { give(.command(command), at: now) }
    deadlines[.workload] = workload?.nextDue
  }

  func command(_ command: SessionCommand) {
    guard isStarted, !isStopped else {
      if case .audit(let query) = command { fleet.audited(query.id, nil) }
      return
    }
    give(.command(command), at: fleet.loop.now)
    rearm()
  }

  // MARK: The session

  private func give(_ event: SessionEvent, at now: Instant) {
    var actions = fleet.takeScratch()
    session.handle(event, at: now, into: &actions)
    for action in actions { carryOut(action, at: now) }
    fleet.putBack(&actions)
    let condition = session.condition.link
    if condition != link {
      fleet.moved(self, from: link, to: condition)
      link = condition
    }
  }

  private func carryOut(_ action: SessionAction, at now: Instant) {
    switch action {
    case .send(let bytes):
      fleet.sent(self, bytes.count, at: now)
      connection?.send(text: bytes)
    case .measure(let measurement): fleet.record(measurement, of: self, at: now)
    case .intent(let intent): fleet.tell(intent, of: self, at: now)
    case .arm(.reconnect, let time): deadlines[.reconnect] = time
    case .arm(.ping, let time): deadlines[.ping] = time
    case .arm(.retry, let time): deadlines[.retry] = time
    case .disarm(.reconnect): deadlines[.reconnect] = nil
    case .disarm(.ping): deadlines[.ping] = nil
    case .disarm(.retry): deadlines[.retry] = nil
    case .ping(let payload): connection?.ping(payload)
    case .connect: connect(at: now)
    case .close(let code, let reason):
      guard let closing = release() else { return }
      if Task.isCancelled {
        closing.handler = nil
        return closing.abort()
      }
      draining?.handler = nil
      draining = closing
      closing.close(code: code, reason: reason)
    case .abort:
      let ending = release()
      ending?.handler = nil
      ending?.abort()
    case .note(let name): fleet.note(name, of: self, at: now)
    case .finished(let call, let isLost):
      guard workload != nil else { return }
      workload?.finished(call: call, isLost: isLost, at: now)
      deadlines[.workload] = workload?.nextDue
    case .audited(let id, let value): fleet.audited(id, value)
    }
  }

  // MARK: The connection

  private func connect(at now: Instant) {
    dialNumber &+= 1
    let number = dialNumber
    let target = fleet.dial
    let bound: ((SocketAddress) -> Void)? = target.bound.map { bound in
      { [id, plan] local in bound(local, id, plan.ordinal) }
    }
    dial = fleet.transport.connect(
      to: target.address, from: target.source(id), timeout: plan.connectTimeout, bound: bound
    ) { [self] result in
      guard dialNumber == number, dial != nil else { return }
      dial = nil
      connected(result, began: now)
    }
  }

  private func connected(_ result: Result<ByteStream, NetworkError>, began: Instant) {
    switch result {
    case .failure(let error): give(.connectFailed(ConnectFailure(error)), at: fleet.loop.now)
    case .success(let stream):
      let subject = UInt64(dialNumber) << 32 | UInt64(id.number)
      var keys = SeededRandom(seed: fleet.seed, purpose: .handshakeKey, subject: subject)
      var options = WebSocketOptions()
      // The time-out is one for TCP and upgrade together.
      options.handshakeTimeout = max(.milliseconds(1), plan.connectTimeout - (fleet.loop.now - began))
      connection = WebSocketConnection.connect(
        over: stream,
        handshake: ClientHandshake(
          host: fleet.dial.host, target: fleet.dial.target, headers: fleet.dial.headers, random: &keys),
        maskKeys: SeededRandom(seed: fleet.seed, purpose: .masking, subject: subject), options: options, handler: self)
    }
    rearm()
  }

  /// Gives up what there is of a connection: nothing more is heard of it.
  private func release() -> WebSocketConnection? {
    if let dial {
      self.dial = nil
      dial.cancel()
    }
    isOpen = false
    defer { connection = nil }
    return connection
  }

  func webSocket(_ connection: WebSocketConnection, _ event: WebSocketConnectionEvent) {
    guard connection === self.connection else {
      if case .closed = event, connection === draining {
        draining = nil
        if isStopped { end.signal() }
      }
      return
    }
    let now = fleet.loop.now
    switch event {
    case .message(let isText, let payload):
      fleet.received(self, payload.count, at: now)
      let facts = fleet.classifier.facts(isText: isText, payload: payload, direction: .down)
      give(.message(WireMessage(isText: isText, payload: payload, facts: facts)), at: now)
    case .pong(let payload): give(.pong(payload), at: now)
    case .ping(let payload): give(.ping(payload), at: now)
    case .opened:
      isOpen = true
      openedAt = now
      give(.opened, at: now)
    case .refused, .writable: return
    case .closed(let closure):
      let wasOpen = isOpen
      isOpen = false
      self.connection = nil
      give(wasOpen ? .closed(SessionClosure(closure)) : .connectFailed(ConnectFailure(closure)), at: now)
    }
    // A closed loop without think time goes on at once, not by way of a timer.
    if let due = deadlines[.workload], due <= now { work(at: now) }
    rearm()
  }
}
