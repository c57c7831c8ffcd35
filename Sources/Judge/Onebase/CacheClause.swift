import Core
import Protocols

/// OB-C17: what a client keeps of its queries belongs to one user.
struct CacheBelongsToUser: TallyingClause {
  static let info = ClauseInfo(
    "OB-C17", .client, .client, sources: [.intent],
    "A cached result is held back until the same user is confirmed, and cleared when the user changes.")
  static let topics: Topics = [.intent]

  var tally = Tally()
  private struct State {
    /// Whom the server confirmed since the client's process began; nil before, `.some(nil)` for anonymous.
    var user: String??
    /// A user was confirmed, then another.
    var hasChanged = false
    /// Under whom live results were shown since: what a cache may hold.
    var filled: String??
    /// The user changed with a filled cache, and no clearing has been told.
    var isUncleared = false
  }
  private var states = PerClient(State())

  init(_ options: JudgeOptions) {}

  var tolerance: String {
    "nothing of another user, and nothing from before a change of users, is shown from the cache"
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, case .intent(let intent) = observation.event else { return }
    switch intent {
    case .restarted:
      // What is persisted stays, and so does what is known of it.
      states[place].user = nil
    case .user(let subject): confirm(subject, place)
    case .cacheCleared:
      if states[place].filled != nil { tally.kept() }
      states[place].filled = nil
      states[place].isUncleared = false
    case .shown(let path, _, let fromCache, let owner):
      if fromCache {
        cached(path, owner, observation, place, &scene)
      } else {
        states[place].filled = .some(owner)
      }
    default: break
    }
  }

  private mutating func confirm(_ subject: String?, _ place: Place) {
    if let filled = states[place].filled, filled != subject {
      states[place].isUncleared = true
      states[place].hasChanged = true
      states[place].filled = nil
    }
    if let user = states[place].user, user != subject { states[place].hasChanged = true }
    states[place].user = .some(subject)
  }

  private mutating func cached(
    _ path: String, _ owner: String?, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    let state = states[place]
    let name = path.prefix(60)
    // What nobody in particular owns needs nobody's confirmation.
    if owner != nil, state.user == nil {
      violate(
        "a cached result of \(name) is shown before the server confirmed its user", at: observation.time, place, &scene)
    } else if let user = state.user, user != owner {
      violate("a cached result of \(name) is shown to another user than its own", at: observation.time, place, &scene)
    } else if state.hasChanged, state.filled != .some(owner) {
      violate(
        "a cached result of \(name) is shown from before the user changed; the cache was to be cleared",
        at: observation.time, place, &scene)
    } else {
      tally.kept()
    }
  }

  mutating func finish(at time: Instant, _ scene: inout Scene) {
    for place in states.places where states[place].isUncleared {
      tally.doubted("a user changed and no clearing of the cache was told; it may have been empty", at: time)
    }
  }
}
