/// What the hub knows of one connection; small, for there are thousands.
struct HubConnection {
  /// One subscription of the connection.
  struct Entry {
    let id: Int64
    let subscription: LiveSubscription
    /// Where it stands among the subscription's subscribers.
    var place: Int
  }

  /// False for a slot that waits to be given to a new connection.
  var isOpen = true
  /// Whether it sent what is no message, and is being closed: what comes behind is not processed.
  var isRefused = false
  /// Who it speaks for since its last accepted `auth`; nil for anonymous.
  var identity: OnebaseIdentity?
  /// Ascending by id.
  private(set) var entries: [Entry] = []
  /// The last delivery that met it.
  var round: UInt64 = 0

  /// The place of an id, or where it would go.
  func find(_ id: Int64) -> (place: Int, isThere: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return (low, low < entries.count && entries[low].id == id)
  }

  mutating func insert(_ entry: Entry) { entries.insert(entry, at: find(entry.id).place) }

  mutating func remove(_ id: Int64) -> Entry? {
    let (place, isThere) = find(id)
    return isThere ? entries.remove(at: place) : nil
  }

  /// Notes that an id's subscriber has moved.
  mutating func move(_ id: Int64, to place: Int) {
    let (index, isThere) = find(id)
    if isThere { entries[index].place = place }
  }
}
