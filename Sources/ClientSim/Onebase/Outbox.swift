import Protocols

/// Calls that wait to be sent for the first time, in the order they were made, each bound to the user it was made under.
struct Outbox {
  struct Entry {
    var request: CallRequest
    /// `unknown` until the token it was made under is confirmed.
    var owner: KnownUser
  }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// How many wait that may be sent under this user.
  func entries(of user: KnownUser) -> Int {
    if entries.isEmpty { return 0 }
    return entries.count { $0.owner == user || $0.owner == .unknown }
  }

  /// Adds a call; false where the limit is reached.
  mutating func add(_ request: CallRequest, owner: KnownUser, limit: Int) -> Bool {
    guard entries.count < limit else { return false }
    entries.append(Entry(request: request, owner: owner))
    return true
  }

  /// Puts calls before all others, in their order.
  mutating func putBack(_ requests: [CallRequest], owner: KnownUser) {
    if !requests.isEmpty { entries.insert(contentsOf: requests.map { Entry(request: $0, owner: owner) }, at: 0) }
  }

  /// The user is confirmed: entries made before it was are its own; those of another user are taken out and answered.
  mutating func claim(for user: KnownUser) -> [Entry] {
    guard !entries.isEmpty else { return [] }
    for index in entries.indices where entries[index].owner == .unknown { entries[index].owner = user }
    let others = entries.filter { $0.owner != user }
    if !others.isEmpty { entries.removeAll { $0.owner != user } }
    return others
  }

  /// Takes out the first entry, if it may go out under this user.
  mutating func takeNext(for user: KnownUser) -> Entry? {
    guard let first = entries.first, first.owner == user else { return nil }
    return entries.removeFirst()
  }

  /// Takes out what a restart of the process loses: only mutations are persisted.
  mutating func takeUnpersisted() -> [Entry] {
    let gone = entries.filter { $0.request.plan.kind != .mutation }
    if !gone.isEmpty { entries.removeAll { $0.request.plan.kind != .mutation } }
    return gone
  }

  mutating func takeAll() -> [Entry] {
    let all = entries
    entries = []
    return all
  }
}
