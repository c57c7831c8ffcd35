import Core
import Metrics

/// A client of a plain echo server: sends numbered, timed messages, and measures how long each takes to come back.
public struct EchoSession: ClientSession {
  private let context: SessionContext
  private var backoff: Backoff
  private var isOpen = false
  private var isStopped = false
  private var hasBeenOpen = false
  private var began = Instant.zero
  private var ended = Instant.zero
  private var attempts = 0
  /// Sent and not come back, in the order sent.
  private var out: [(request: CallRequest, sent: Instant)] = []

  public init(_ context: SessionContext) {
    self.context = context
    backoff = Backoff(context.plan.reconnect, seed: context.seed, client: context.client, behave: context.behave)
  }

  public var condition: SessionCondition {
    let link: SessionCondition.Link = isStopped ? .off : isOpen ? .connected : .reconnecting
    return SessionCondition(link: link, isLive: isOpen || isStopped, unanswered: out.count)
  }
  public var shownValues: [ShownValue] { [] }

  public mutating func handle(_ event: SessionEvent, at now: Instant, into actions: inout [SessionAction]) {
    if isStopped { return }
    switch event {
    case .start, .timer(.reconnect): connect(at: now, &actions)
    case .opened: opened(at: now, &actions)
    case .connectFailed(let failure): comeBack(failure.description, at: now, &actions)
    case .closed(let closure):
      lose(at: now, &actions)
      actions += [.measure(.dropped), .measure(.notLive)]
      comeBack(closure.isError ? closure.description : nil, at: now, &actions)
    case .message(let message): received(message, at: now, &actions)
    case .command(.call(let request)): send(request, at: now, &actions)
    case .command(.restart):
      if isOpen { actions.append(.abort) }
      lose(at: now, &actions)
      connect(at: now, &actions)
    case .command(.stop):
      for one in out { actions.append(.measure(.callOut(intended: one.request.intended, sent: one.sent))) }
      actions.append(isOpen ? .close(code: 1000, reason: "done") : .abort)
      isStopped = true
    case .command(.audit(let query)): actions.append(.audited(id: query.id, value: nil))
    case .ping, .pong, .timer, .command: break
    }
  }

  private mutating func connect(at now: Instant, _ actions: inout [SessionAction]) {
    began = now
    attempts += 1
    actions.append(.measure(.attempt(number: backoff.attempt)))
    if backoff.attempt > 0 {
      actions.append(.measure(.backoffObserved(attempt: backoff.attempt, now - ended, from: ended)))
    }
    actions.append(.connect)
  }

  private mutating func opened(at now: Instant, _ actions: inout [SessionAction]) {
    actions += [.measure(.took(.connect, now - began, intended: began)), .measure(.live)]
    if hasBeenOpen { actions.append(.measure(.reconnected(attempts: attempts, drop: ended))) }
    (isOpen, hasBeenOpen, attempts) = (true, true, 0)
    backoff.startOver()
  }

  private mutating func comeBack(_ note: String?, at now: Instant, _ actions: inout [SessionAction]) {
    if let note { actions.append(.note(note)) }
    ended = now
    let pause = backoff.next()
    actions.append(.measure(.backoffScheduled(attempt: backoff.attempt, pause, from: now)))
    actions.append(.arm(.reconnect, at: now + pause))
  }

  private mutating func send(_ request: CallRequest, at now: Instant, _ actions: inout [SessionAction]) {
    actions.append(.measure(.callIntended(request.intended)))
    guard isOpen else {
      actions += [.measure(.callLost(intended: request.intended, sent: nil)), .finished(call: request.plan.index)]
      return
    }
    var payload: [UInt8] = []
    request.marker?.append(to: &payload)
    while payload.count < request.plan.size { payload.append(0x2E) }
    actions += [.measure(.callSent(intended: request.intended)), .send(payload)]
    out.append((request, now))
  }

  private mutating func received(_ message: WireMessage, at now: Instant, _ actions: inout [SessionAction]) {
    let marker = Marker.all(in: message.payload).first
    guard let marker, let place = out.firstIndex(where: { $0.request.marker == marker }) else {
      return actions.append(.note("not an echo of a message that is out"))
    }
    let (request, sent) = out.remove(at: place)
    let deadline = request.plan.deadline
    actions.append(.measure(.callAnswered(intended: request.intended, sent: sent, ok: true, deadline: deadline)))
    actions.append(.finished(call: request.plan.index))
  }

  private mutating func lose(at now: Instant, _ actions: inout [SessionAction]) {
    isOpen = false
    for one in out {
      actions.append(.measure(.callLost(intended: one.request.intended, sent: one.sent)))
      actions.append(.finished(call: one.request.plan.index))
    }
    out = []
  }
}
