import JSON
import Protocols

/// One query that runs for all who subscribe to it with the same arguments as the same user.
///
/// Confined to its hub.
final class LiveSubscription {
  /// What makes subscriptions one and the same.
  struct Key: Hashable {
    var subscription: SubscriptionKey
    /// The user; nil for anonymous.
    var subject: String?
  }

  /// Who gets its updates, and under which id.
  struct Subscriber {
    var slot: Int32
    var id: Int64
  }

  let key: Key
  let arguments: JSONValue
  let identity: OnebaseIdentity?
  /// What the last run read: when it changes, the query runs again.
  var reads: [StoreKey]
  var result: SharedResult
  var subscribers: [Subscriber] = []
  /// The last propagation that looked at it, so that one with several written keys looks once.
  var round: UInt64 = 0
  /// Its place in the hub's list of all.
  var place = 0

  init(key: Key, arguments: JSONValue, identity: OnebaseIdentity?, run: OnebaseBackend.Run) {
    self.key = key
    self.arguments = arguments
    self.identity = identity
    reads = run.reads
    result = run.result
  }
}

/// All live subscriptions: by what they are, and by what they read.
struct LiveSubscriptions {
  /// In an order that depends only on what happened; what iterates, iterates this.
  private(set) var all: [LiveSubscription] = []
  private var byKey: [LiveSubscription.Key: LiveSubscription] = [:]
  private var byRead: [StoreKey: [LiveSubscription]] = [:]

  subscript(key: LiveSubscription.Key) -> LiveSubscription? { byKey[key] }

  func reading(_ key: StoreKey) -> [LiveSubscription] { byRead[key] ?? [] }

  mutating func insert(_ subscription: LiveSubscription) {
    subscription.place = all.count
    all.append(subscription)
    byKey[subscription.key] = subscription
    for key in subscription.reads { byRead[key, default: []].append(subscription) }
  }

  mutating func remove(_ subscription: LiveSubscription) {
    let last = all.removeLast()
    if last !== subscription {
      all[subscription.place] = last
      last.place = subscription.place
    }
    byKey[subscription.key] = nil
    stopReading(subscription)
  }

  /// Takes over what a fresh run read.
  mutating func update(_ subscription: LiveSubscription, reads: [StoreKey]) {
    if subscription.reads == reads { return }
    stopReading(subscription)
    subscription.reads = reads
    for key in reads { byRead[key, default: []].append(subscription) }
  }

  private mutating func stopReading(_ subscription: LiveSubscription) {
    for key in subscription.reads {
      byRead[key]?.removeAll { $0 === subscription }
      if byRead[key]?.isEmpty == true { byRead[key] = nil }
    }
  }
}
