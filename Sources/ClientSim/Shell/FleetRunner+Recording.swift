import Core
import Metrics

/// Which figures a measurement belongs to. Everything counts in the windows of its intended time.
extension FleetRunner {
  func record(_ measurement: Measurement, of client: ClientRunner, at now: Instant) {
    switch measurement {
    case .took(.detection, let took, let intended):
      // A connection made while the fault was on has been under it since it opened.
      let since = configuration.faultSince?(client.id, now).map { max($0, client.openedAt) }
      metrics.record(.detection, since.map { now - $0 } ?? took, intended: since ?? intended)
    case .took(let metric, let took, let intended): metrics.record(metric, took, intended: intended)
    case .atLeast(let metric, let waited, let intended): metrics.recordAtLeast(metric, waited, intended: intended)
    case .count(let counter): metrics.count(counter, at: now)
    case .callIntended(let intended): metrics.callIntended(at: intended)
    case .callSent(let intended): metrics.callSent(intended: intended)
    case .callAnswered(let intended, let sent, let ok, let deadline):
      metrics.callAnswered(intended: intended, sent: sent, at: now, ok: ok, deadline: deadline)
      gauges[client.plan.ordinal].recentCalls.record(now - intended)
    case .callLost(let intended, let sent): metrics.callLost(intended: intended, sent: sent, at: now)
    case .callOut(let intended, let sent): metrics.callOut(intended: intended, sent: sent, at: now)
    case .attempt:
      metrics.count(.attempts, at: now)
      metrics.attemptsPerClient.count(client.id.number)
    case .dropped: metrics.count(.drops, at: now)
    case .backoffScheduled(let attempt, let pause, let from):
      metrics.record(.backoffScheduled, attempt: attempt, pause, intended: from)
    case .backoffObserved(let attempt, let pause, let from):
      metrics.record(.backoffObserved, attempt: attempt, pause, intended: from)
    case .attemptAfterDrop(let number, let drop):
      metrics.recordDispersion(attempt: number, sinceDrop: now - drop, drop: drop)
    case .reconnected(let attempts, let drop):
      metrics.count(.reconnects, at: drop)
      metrics.recordCount(.attempts, attempts, intended: drop)
      metrics.reconnectsPerClient.count(client.id.number)
    case .live, .notLive: mark(isLive: measurement == .live, at: now)
    case .subscriptionLive, .subscriptionDown, .shown, .mutationSent, .mutationConfirmed:
      follow(measurement, of: client, at: now)
    }
  }

  private func mark(isLive: Bool, at now: Instant) {
    // At the end clients go one by one: that is no outage.
    if isStopping { return }
    notLive += isLive ? -1 : 1
    if isLive, notLive == 0 {
      metrics.timeline.markLive(at: now)
    } else if !isLive, notLive == 1 {
      metrics.timeline.markNotLive(at: now)
    }
  }

  private func follow(_ measurement: Measurement, of client: ClientRunner, at now: Instant) {
    switch measurement {
    case .subscriptionLive(let index, let key):
      while client.windows.count <= index { client.windows.append(ReceiverWindow()) }
      client.windows[index].join(at: configuration.propagation.join(key))
    case .subscriptionDown(let index, let key):
      guard index < client.windows.count, client.windows[index].isLive else { return }
      client.windows[index].leave(at: configuration.propagation.leave(key))
    case .shown(let index, let key, let marker):
      guard index < client.windows.count else { return }
      ledger.shown(marker, key: key, by: client.windows[index], at: now, &metrics)
    case .mutationSent(let marker, let keys):
      let shown = client.shownValues
      for key in keys {
        // Live subscriptions of the sender show it too, and are no receivers.
        ledger.sent(marker, key: key, own: shown.count { $0.key == key }, at: now, &metrics)
      }
    case .mutationConfirmed(let marker, let keys): for key in keys { confirmed.add(marker, key: key) }
    default: break
    }
  }

  /// The loop ran something this late, as known at `now`: what makes a generator's figures doubtful.
  public func recordLag(_ lag: Duration, at now: Instant) { metrics.record(.loopLag, lag, intended: now) }
}
