import Core

/// A client of a plain echo server: sends numbered, timed messages, and measures how long each takes to come back.
public struct EchoSession: ClientSession {
  private var comeback: Comeback
  private var link = SessionCondition.Link.reconnecting
  /// Sent and not come back, in the order sent.
  private var out: [(request: CallRequest, sent: Instant)] = []

  public init(_ context: SessionContext) { comeback = Comeback(context) }

  public var condition: SessionCondition {
    SessionCondition(link: link, isLive: link != .reconnecting, unanswered: out.count)
  }
  public var shownValues: [ShownValue] { [] }

  public mutating func handle(_ event: SessionEvent, at now: Instant, into actions: inout [SessionAction]) {
    switch event {
    case .start, .timer(.reconnect): comeback.connect(at: now, &actions)
    case .opened:
      link = .connected
      comeback.opened(at: now, &actions)
      comeback.startOver()
      actions.append(.measure(.live))
    case .connectFailed(let failure): comeback.pause(after: failure, at: now, &actions)
    case .closed(let closure):
      if closure.isError { actions.append(.note(closure.description)) }
      lose(&actions)
      comeback.closed(at: now)
      actions += [.measure(.dropped), .measure(.notLive)]
      comeback.pause(at: now, &actions)
    case .message(let message): received(message, &actions)
    case .command(.call(let request)):
      actions.append(.measure(.callIntended(request.intended)))
      out.append((request, now))
      if link == .connected { send(request, &actions) } else { lose(&actions) }
    case .command(.stop):
      actions += out.map { .measure(.callOut(intended: $0.request.intended, sent: $0.sent)) }
      actions.append(link == .connected ? .close(code: 1000, reason: "done") : .abort)
      (link, out) = (.off, [])
    case .command(.audit(let query)): actions.append(.audited(id: query.id, value: nil))
    case .ping, .pong, .timer, .command: break
    }
  }

  private func send(_ request: CallRequest, _ actions: inout [SessionAction]) {
    var payload: [UInt8] = []
    payload.reserveCapacity(max(request.plan.size, 80))
    request.marker?.append(to: &payload)
    payload.append(contentsOf: repeatElement(0x2E, count: max(0, request.plan.size - payload.count)))
    actions += [.measure(.callSent(intended: request.intended)), .send(payload)]
  }

  private mutating func received(_ message: WireMessage, _ actions: inout [SessionAction]) {
    let marker = Marker.first(in: message.payload)
    guard let marker, let place = out.firstIndex(where: { $0.request.marker == marker }) else {
      return actions.append(.note("not an echo of a message that is out"))
    }
    let (request, sent) = out.remove(at: place)
    let deadline = request.plan.deadline
    actions.append(.measure(.callAnswered(intended: request.intended, sent: sent, ok: true, deadline: deadline)))
    actions.append(.finished(call: request.plan.index, isLost: false))
  }

  /// What is out will not come back.
  private mutating func lose(_ actions: inout [SessionAction]) {
    for (request, sent) in out {
      let wasSent = link == .connected
      actions.append(.measure(.callLost(intended: request.intended, sent: wasSent ? sent : nil)))
      actions.append(.finished(call: request.plan.index, isLost: true))
    }
    (link, out) = (.reconnecting, [])
  }
}
