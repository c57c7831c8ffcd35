import Core
import JSON
import Protocols

extension OnebaseHub {
  /// Takes a subscription, in place of the one that has its id, and sends its first update.
  func subscribe(
    _ slot: Int, _ id: Int64, _ call: FunctionCall, argumentBytes: Int, _ actions: inout [HubAction]
  ) {
    counts.subscribes += 1
    if let old = connections[slot].remove(id) {
      counts.replaced += 1
      leave(old)
    }
    if let refusal = refusal(slot, argumentBytes: argumentBytes) {
      counts.updates += 1
      return actions.append(.send(slot: slot, frame: refusal.updateFrame(id: id)))
    }
    let key = LiveSubscription.Key(
      subscription: SubscriptionKey(path: call.path, arguments: call.arguments), subject: call.identity?.subject)
    let subscription: LiveSubscription
    if let known = live[key] {
      subscription = known
    } else {
      subscription = LiveSubscription(
        key: key, arguments: call.arguments, identity: call.identity, run: backend.run(.query, call))
      live.insert(subscription)
    }
    let result = subscription.result
    join(slot, id, subscription)
    if !result.isOK, misbehaviours.contains(.forgetFailed), let entry = connections[slot].remove(id) { leave(entry) }
    if misbehaviours.contains(.noFirstUpdate) { return }
    counts.updates += 1
    actions.append(.send(slot: slot, frame: result.updateFrame(id: id)))
  }

  private func refusal(_ slot: Int, argumentBytes: Int) -> SharedResult? {
    if let refusal = backend.refusal(argumentBytes: argumentBytes) { return refusal }
    guard connections[slot].entries.count >= options.limits.subscriptions else { return nil }
    return backend.failed(.refused("Too many subscriptions: at most \(options.limits.subscriptions) a connection"))
  }

  private func join(_ slot: Int, _ id: Int64, _ subscription: LiveSubscription) {
    connections[slot].insert(.init(id: id, subscription: subscription, place: subscription.subscribers.count))
    subscription.subscribers.append(.init(slot: Int32(slot), id: id))
  }

  /// Ends a subscription that was taken out of its connection; the query stops with its last subscriber.
  func leave(_ entry: HubConnection.Entry) {
    let subscription = entry.subscription
    // The last one takes the place that falls free: constant cost in storms of reconnects.
    let last = subscription.subscribers.removeLast()
    if entry.place < subscription.subscribers.count {
      subscription.subscribers[entry.place] = last
      connections[Int(last.slot)].move(last.id, to: entry.place)
    }
    if subscription.subscribers.isEmpty { live.remove(subscription) }
  }

  /// Runs a subscription again; whether its value is another now.
  func refresh(_ subscription: LiveSubscription, at now: Instant) -> Bool {
    let run = backend.run(
      .query,
      FunctionCall(
        path: subscription.key.subscription.path, arguments: subscription.arguments, identity: subscription.identity,
        now: now))
    live.update(subscription, reads: run.reads)
    if run.result.isSame(as: subscription.result) { return false }
    subscription.result = run.result
    return true
  }

  /// The subscriptions whose value changes with these writes, after running them again.
  func changed(by writes: [StoreKey], at now: Instant) -> [LiveSubscription] {
    round += 1
    var changed: [LiveSubscription] = []
    for key in writes {
      for subscription in live.reading(key) where subscription.round != round {
        subscription.round = round
        if refresh(subscription, at: now) { changed.append(subscription) }
      }
    }
    return changed
  }
}
