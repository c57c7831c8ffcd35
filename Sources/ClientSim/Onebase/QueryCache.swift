import Protocols

/// The newest results of subscribed queries, kept across restarts, for one user.
struct QueryCache {
  private struct Entry {
    var key: SubscriptionKey
    var value: SharedValue
  }

  let limit: Int
  /// Whom the entries belong to; nil while there are none (`.some(nil)` is anonymous).
  private(set) var owner: String??
  /// Oldest first.
  private var entries: [Entry] = []

  init(limit: Int) { self.limit = limit }

  mutating func keep(_ value: SharedValue, of key: SubscriptionKey, owner: String?) {
    guard limit > 0 else { return }
    self.owner = .some(owner)
    if entries.last?.key == key {
      entries[entries.count - 1].value = value
      return
    }
    entries.removeAll { $0.key == key }
    if entries.count == limit { entries.removeFirst() }
    entries.append(Entry(key: key, value: value))
  }

  func value(of key: SubscriptionKey) -> SharedValue? { entries.first { $0.key == key }?.value }

  /// Forgets everything; false if there was nothing.
  mutating func clear() -> Bool {
    defer {
      entries = []
      owner = nil
    }
    return !entries.isEmpty
  }

  /// Forgets everything that does not belong to this user; false if there was no such thing.
  mutating func clear(unlessOwnedBy subject: String?) -> Bool { owner == .some(subject) ? false : clear() }
}
