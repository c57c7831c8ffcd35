import Core

/// What happens to a client as a whole, recorded in every figure it belongs to.
extension MetricSet {
  /// A client was started. Counters that count nothing of it are data from here on, not silence.
  public mutating func clientStarted(_ client: ClientID, at time: Instant) {
    reconnectsPerClient.start(client.number)
    attemptsPerClient.start(client.number)
    count(.clients, at: time)
  }

  /// A client began an attempt to connect, its first one included.
  public mutating func attempted(_ client: ClientID, at time: Instant) {
    attemptsPerClient.count(client.number)
    count(.attempts, at: time)
  }

  /// A client began attempt `attempt` (from 1) to come back from the drop of its connection at `drop`.
  public mutating func reattempted(_ client: ClientID, attempt: Int, drop: Instant, at time: Instant) {
    attempted(client, at: time)
    recordDispersion(attempt: attempt, sinceDrop: time - drop, drop: drop)
  }

  /// A client's connection ended without it asking.
  public mutating func dropped(at drop: Instant) { count(.drops, at: drop) }

  /// A socket opened again after it had been open: one drop and its return, however many attempts that took.
  public mutating func reconnected(_ client: ClientID, attempts: Int, drop: Instant) {
    reconnectsPerClient.count(client.number)
    count(.reconnects, at: drop)
    recordCount(.attempts, attempts, intended: drop)
  }
}
