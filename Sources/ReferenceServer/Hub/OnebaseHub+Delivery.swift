import JSON
import WebSocket

extension OnebaseHub {
  /// A call that was answered by the mutation whose changes are delivered.
  struct Answer {
    var slot: Int
    var request: Int64
    var result: SharedResult
  }

  private struct Part {
    var slot: Int32
    var id: Int64
    var result: SharedResult
  }

  /// Sends what changed: to each connection one message, an update or a transition of several. The caller's carries
  /// the result too, and goes first.
  func deliver(_ changed: [LiveSubscription], to answer: Answer?, _ actions: inout [HubAction]) {
    let answerSlot = answer.map { Int32($0.slot) } ?? -1
    let own = answer == nil ? [] : parts(of: changed) { $0 == answerSlot }
    if let answer { send(answer, with: own, &actions) }
    if changed.isEmpty { return }
    if meetsNobodyTwice(changed, but: answerSlot) {
      // The way that matters: one shared frame per subscriber.
      for subscription in changed {
        let result = subscription.result
        for subscriber in subscription.subscribers where subscriber.slot != answerSlot {
          sendUpdate(Int(subscriber.slot), subscriber.id, result, &actions)
        }
      }
    } else {
      deliverGrouped(parts(of: changed) { $0 != answerSlot }, &actions)
    }
    if misbehaviours.contains(.forgetFailed) { forgetFailed(changed) }
  }

  private func sendUpdate(_ slot: Int, _ id: Int64, _ result: SharedResult, _ actions: inout [HubAction]) {
    if misbehaviours.losesDelivery() { return }
    counts.updates += 1
    actions.append(.send(slot: slot, frame: result.updateFrame(id: id)))
  }

  /// Whether no connection but the caller's has two of these subscriptions, or one of them under two ids.
  private func meetsNobodyTwice(_ changed: [LiveSubscription], but answerSlot: Int32) -> Bool {
    round += 1
    for subscription in changed {
      for subscriber in subscription.subscribers where subscriber.slot != answerSlot {
        let slot = Int(subscriber.slot)
        if connections[slot].round == round { return false }
        connections[slot].round = round
      }
    }
    return true
  }

  private func parts(of changed: [LiveSubscription], where include: (Int32) -> Bool) -> [Part] {
    var parts: [Part] = []
    for subscription in changed {
      for subscriber in subscription.subscribers where include(subscriber.slot) {
        parts.append(Part(slot: subscriber.slot, id: subscriber.id, result: subscription.result))
      }
    }
    return parts
  }

  private func deliverGrouped(_ parts: [Part], _ actions: inout [HubAction]) {
    // Sorting keeps the parts of one connection in the order in which they changed.
    let sorted = parts.enumerated().sorted { ($0.element.slot, $0.offset) < ($1.element.slot, $1.offset) }
    var start = 0
    while start < sorted.count {
      let slot = sorted[start].element.slot
      var end = start + 1
      while end < sorted.count && sorted[end].element.slot == slot { end += 1 }
      if end == start + 1 {
        sendUpdate(Int(slot), sorted[start].element.id, sorted[start].element.result, &actions)
      } else if !misbehaviours.losesDelivery() {
        sendTransition(Int(slot), sorted[start..<end].map(\.element), nil, &actions)
      }
      start = end
    }
  }

  /// The answer to a call: with the updates of its own connection in one transition, else on its own.
  private func send(_ answer: Answer, with own: [Part], _ actions: inout [HubAction]) {
    let times = misbehaviours.answers()
    if own.isEmpty || times != 1 || misbehaviours.contains(.splitTransition) {
      for _ in 0..<times { sendResult(answer, &actions) }
      for part in own {
        counts.updates += 1
        actions.append(.send(slot: answer.slot, frame: part.result.updateFrame(id: part.id)))
      }
      return
    }
    sendTransition(answer.slot, own, answer, &actions)
  }

  private func sendResult(_ answer: Answer, _ actions: inout [HubAction]) {
    counts.results += 1
    let frame = ServerFrame.make(capacity: answer.result.members.count + 56) {
      answer.result.appendResult(request: answer.request, to: &$0)
    }
    actions.append(.send(slot: answer.slot, frame: frame))
  }

  private func sendTransition(_ slot: Int, _ parts: [Part], _ answer: Answer?, _ actions: inout [HubAction]) {
    counts.transitions += 1
    let size = parts.reduce(128 + (answer?.result.members.count ?? 0)) { $0 + $1.result.members.count + 56 }
    let frame = ServerFrame.make(capacity: size) { bytes in
      JSONText.append(#"{"type":"transition","updates":["#, to: &bytes)
      for (place, part) in parts.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        part.result.appendUpdate(id: part.id, to: &bytes)
      }
      JSONText.append(#"],"results":["#, to: &bytes)
      if let answer { answer.result.appendResult(request: answer.request, to: &bytes) }
      JSONText.append("]}", to: &bytes)
    }
    actions.append(.send(slot: slot, frame: frame))
  }

  /// The misbehaviour: a subscription that failed is not kept.
  private func forgetFailed(_ changed: [LiveSubscription]) {
    for subscription in changed where !subscription.result.isOK {
      for subscriber in subscription.subscribers {
        if let entry = connections[Int(subscriber.slot)].remove(subscriber.id) { leave(entry) }
      }
    }
  }
}
