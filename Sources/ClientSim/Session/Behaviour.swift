/// What a simulated client can be told to do wrong, so that the judge can be judged.
public enum Behaviour: String, CaseIterable, Hashable, Sendable {
  /// A call that was sent and lost is sent again on the next connection.
  case resendLostCalls = "resend-lost-calls"
  /// Subscriptions are sent before the auth message.
  case subsBeforeAuth = "subs-before-auth"
  /// Every pause is the policy's first one, without jitter.
  case fixedBackoff = "fixed-backoff"
  case noJitter = "no-jitter"
  case jitterBeforeCap = "jitter-before-cap"
  /// After a reconnect the subscriptions are forgotten.
  case noResubscribe = "no-resubscribe"
  case resubscribeExtra = "resubscribe-extra"
  /// No pings.
  case noHeartbeat = "no-heartbeat"
  case ignoreDeadHeartbeat = "ignore-dead-heartbeat"
  case resetBackoffOnOpen = "reset-backoff-on-open"
  case retryEndedToken = "retry-ended-token"
  case unsubOnError = "unsub-on-error"
  case reorderOutbox = "reorder-outbox"
  case twoSockets = "two-sockets"
  case rejoinLeftChannels = "rejoin-left-channels"
  case replayOfflineBroadcasts = "replay-offline-broadcasts"
  case ignoreMissedChange = "ignore-missed-change"
  case retryForbidden = "retry-forbidden"

  /// Those that are built; a scenario that asks for another is told so.
  public static let available: Set<Behaviour> = [
    .resendLostCalls, .subsBeforeAuth, .fixedBackoff, .noResubscribe, .noHeartbeat, .ignoreMissedChange,
    .retryForbidden,
  ]
}
