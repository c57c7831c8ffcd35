/// What a client was asked to do, or says of itself: the part of the truth that the wire does not show.
public enum Intent: Hashable, Sendable {
  /// The client was started, with what it wants from then on.
  case started
  /// A process restart was simulated: memory is gone, what is persisted stays.
  case restarted
  /// The client was asked to close and will not come back by itself.
  case stopped
  /// A subscription is wanted, or no longer.
  case want(path: String, arguments: String)
  case unwant(path: String, arguments: String)
  /// A call was asked for; `offline` when it had to be queued.
  case call(kind: String, path: String, marker: Marker?, offline: Bool)
  /// A call that was sent and whose answer will never come was reported lost, with a warning.
  case callLost(path: String, marker: Marker?)
  /// A call was answered.
  case callAnswered(path: String, marker: Marker?, ok: Bool)
  /// The client's user as it knows it; nil when signed out.
  case user(subject: String?)
  /// A result was shown: from the cache (stale) or live, and for whom it had been stored.
  case shown(path: String, arguments: String, fromCache: Bool, owner: String?)
  /// The cache was cleared.
  case cacheCleared
  /// A transition's parts became visible; `atOnce` is false if a state existed that showed some without the others.
  case transitionApplied(updates: Int, results: Int, atOnce: Bool)
  /// The client closes a connection of its own will, or because it noticed that it is dead.
  case closing(reason: String)
  /// The state of the client's socket as it shows it (palbase).
  case socket(state: String)
  /// The client's session was refreshed: it has another token for the same user.
  case tokenRefreshed
  /// Somebody signed in or out.
  case userChanged(isSignedIn: Bool)
  /// The client noticed that its connection is gone or dead.
  case noticed
  /// The client scheduled its next attempt after this pause.
  case backoff(attempt: Int, pause: Duration)
}
