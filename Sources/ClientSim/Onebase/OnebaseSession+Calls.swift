import Core
import JSON
import Metrics
import Protocols

/// Calls: at most once per send, queued while there is nobody to send them to.
extension OnebaseSession {
  mutating func call(_ request: CallRequest, at now: Instant, _ actions: inout [SessionAction]) {
    actions.append(.measure(.callIntended(request.intended)))
    let goesOut = phase == .ready && calls.hasRoom
    let plan = request.plan
    tell(.call(kind: plan.kind.rawValue, path: plan.path, marker: request.marker, offline: !goesOut), &actions)
    if goesOut { return send(request, at: now, &actions) }
    if outbox.add(request, owner: user, limit: context.plan.outboxLimit) { return }
    actions.append(.note(context.plan.outboxLimit == 0 ? "call while offline" : "outbox full"))
    lost(request, sent: nil, at: now, &actions)
  }

  private mutating func send(_ request: CallRequest, at now: Instant, _ actions: inout [SessionAction]) {
    let number = calls.nextRequest()
    let bytes = CallPlan.message(request: number, head: request.plan.head, arguments: request.arguments)
    if let marker = request.marker, !request.seenBy.isEmpty {
      // Counted before it goes out, so that no receiver can be faster than the expectation.
      actions.append(.measure(.mutationSent(marker, seenBy: request.seenBy)))
    }
    actions.append(.measure(.callSent(intended: request.intended)))
    actions.append(.send(bytes))
    calls.add(OutstandingCall(number: number, request: request, sent: now))
  }

  /// Sends what waited and may go out under the present user, in the order it was made.
  mutating func flushOutbox(at now: Instant, _ actions: inout [SessionAction]) {
    guard phase == .ready, !outbox.isEmpty else { return }
    while calls.hasRoom, !isAuthRefused, let entry = outbox.takeNext(for: user) {
      send(entry.request, at: now, &actions)
    }
  }

  mutating func result(
    _ facts: MessageFacts, of message: WireMessage, inTransition: Bool, at now: Instant,
    _ actions: inout [SessionAction]
  ) {
    guard let number = facts.request else { return actions.append(.note("result without a requestId")) }
    let ok = facts.flags.contains(.ok)
    guard let call = calls.take(number) else {
      if let place = audits.firstIndex(where: { $0.request == number }) {
        let value = ok ? facts.value.map { [UInt8](message.payload[$0.range]) } : nil
        actions.append(.audited(id: audits.remove(at: place).id, value: value))
      } else {
        actions.append(.note("result of an unknown call"))
      }
      return
    }
    let request = call.request
    actions.append(
      .measure(
        .callAnswered(intended: request.intended, sent: call.sent, ok: ok, deadline: request.plan.deadline)))
    if inTransition, request.plan.kind == .mutation {
      actions.append(.measure(.took(.transition, now - request.intended, intended: request.intended)))
    }
    if !ok { actions.append(.note("call failed: \(ErrorText.of(message.bytes(facts.error)))")) }
    if ok, let marker = request.marker, !request.seenBy.isEmpty {
      actions.append(.measure(.mutationConfirmed(marker, seenBy: request.seenBy)))
    }
    tell(.callAnswered(path: request.plan.path, marker: request.marker, ok: ok), &actions)
    actions.append(.finished(call: request.plan.index, isLost: false))
    if !outbox.isEmpty { flushOutbox(at: now, &actions) }
  }

  /// The connection is gone, and with it the answers: reported, and never sent again.
  mutating func loseCalls(at now: Instant, _ actions: inout [SessionAction]) {
    guard calls.count > 0 else { return }
    let resends = context.behave.contains(.resendLostCalls)
    var again: [CallRequest] = []
    for call in calls.takeAll() {
      if resends { again.append(call.request) } else { lost(call.request, sent: call.sent, at: now, &actions) }
    }
    outbox.putBack(again, owner: user)
  }

  mutating func lost(_ request: CallRequest, sent: Instant?, at now: Instant, _ actions: inout [SessionAction]) {
    actions.append(.measure(.callLost(intended: request.intended, sent: sent)))
    missTransition(of: request, at: now, &actions)
    tell(.callLost(path: request.plan.path, marker: request.marker), &actions)
    actions.append(.finished(call: request.plan.index, isLost: true))
  }

  /// A mutation that the client's own subscriptions would have shown has no transition, and will have none.
  func missTransition(of request: CallRequest, at now: Instant, _ actions: inout [SessionAction]) {
    guard request.plan.kind == .mutation, subscriptions.contains(where: { request.seenBy.contains($0.hash) }) else {
      return
    }
    actions.append(.measure(.atLeast(.transition, now - request.intended, intended: request.intended)))
  }
}
