import Core
import Protocols

/// One side of the proxy's view of a connection: what was said there so far.
public struct ConnectionView: Sendable {
  /// How many subscriptions and calls are remembered; a peer that has more is not judged by them.
  static let capacity = 256

  public struct Subscription: Sendable {
    public var id: Int64
    /// Tells what is subscribed to; canonical at the client's side.
    public var key: UInt64
    public var sent: Instant
    /// Its place among the subscriptions and calls of the connection: times may be equal.
    public var order: UInt32
    /// An update has carried its id.
    public var isAnswered = false
    /// Its last update was an error.
    public var hasFailed = false
  }

  public struct Call: Sendable {
    public var request: Int64
    public var isMutation: Bool
    public var sent: Instant
    /// As a subscription's.
    public var order: UInt32
    /// Hash of kind, path and arguments as written.
    public var hash: UInt64
    public var marker: Marker?
  }

  /// For how long the refusal of its upgrade asked to stay away.
  public internal(set) var retryAfter: Duration?
  /// When it was open for messages.
  public internal(set) var opened: Instant?
  public internal(set) var ended: Ending?
  /// The faults that were on for the connection when it ended.
  public internal(set) var endedFaults: FaultSet = []
  /// A data message went up.
  public internal(set) var hasSpoken = false
  public internal(set) var auths = 0
  public internal(set) var authReplies = 0
  /// When the last auth that has no reply was sent.
  public internal(set) var lastAuth: Instant?
  public internal(set) var firstReply: Instant?
  public internal(set) var subscriptions: [Subscription] = []
  /// Calls without a result.
  public internal(set) var calls: [Call] = []
  private var nextOrder: UInt32 = 0
  /// More was open at once than is remembered.
  public internal(set) var hasOverflowed = false
  /// A close frame was seen on its way up, or down.
  public internal(set) var clientClosed = false
  public internal(set) var serverClosed = false
  /// Which way the first close frame went, and whether it told of an orderly end: 1000, 1001, or no code.
  public internal(set) var closedFirst: Direction?
  public internal(set) var hasClosedCleanly = false
  /// When the first close frame was seen.
  public internal(set) var closing: Instant?
  /// The last frame that was no close frame, either way, or the opening; and the longest time between two.
  public internal(set) var lastFrame: Instant?
  public internal(set) var longestSilence: (from: Instant, to: Instant)?
  /// Bytes that are no protocol were seen: what follows in either direction proves nothing.
  public internal(set) var isBroken = false

  public func subscription(_ id: Int64?) -> Int? {
    guard let id else { return nil }
    return subscriptions.firstIndex { $0.id == id }
  }

  /// Whether an ok update of this id would change nothing here.
  @inline(__always)
  func isSteady(_ id: Int64?) -> Bool {
    guard opened != nil, let index = subscription(id) else { return false }
    return subscriptions[index].isAnswered && !subscriptions[index].hasFailed
  }

  public func call(_ request: Int64?) -> Int? {
    guard let request else { return nil }
    return calls.firstIndex { $0.request == request }
  }

  /// Takes a message in. `known` is what the view at the other side found out about the same call.
  mutating func take(_ message: WireMessage, at time: Instant, side: Side, direction: Direction, known: Call? = nil) {
    if opened == nil { opened = time }
    frame(at: time)
    if direction == .up { hasSpoken = true }
    switch message.facts.kind {
    case .onebaseUpdate: update(message.facts)
    case .onebaseTransition:
      for part in message.facts.parts { if part.kind == .onebaseUpdate { update(part) } else { result(part) } }
    case .onebaseResult: result(message.facts)
    case .onebaseCall: call(message, at: time, known)
    case .onebaseSubscribe: subscribe(message, at: time, side)
    case .onebaseUnsubscribe:
      if let index = subscription(message.facts.id) { subscriptions.remove(at: index) }
    case .onebaseAuth:
      auths += 1
      lastAuth = time
    case .onebaseAuthReply:
      authReplies += 1
      if firstReply == nil { firstReply = time }
    default: break
    }
  }

  @inline(__always)
  mutating func frame(at time: Instant) {
    if let last = lastFrame ?? opened, longestSilence.map({ time - last > $0.to - $0.from }) ?? true {
      longestSilence = (last, time)
    }
    lastFrame = time
  }

  mutating func close(_ direction: Direction, code: UInt16?, at time: Instant) {
    if direction == .up { clientClosed = true } else { serverClosed = true }
    if closedFirst == nil {
      closedFirst = direction
      hasClosedCleanly = code.map { $0 == 1000 || $0 == 1001 } ?? true
    }
    if closing == nil { closing = time }
  }

  private mutating func update(_ facts: MessageFacts) {
    guard let index = subscription(facts.id) else { return }
    subscriptions[index].isAnswered = true
    subscriptions[index].hasFailed = !facts.flags.contains(.ok)
  }

  private mutating func result(_ facts: MessageFacts) {
    if let index = call(facts.request) { calls.remove(at: index) }
  }

  private mutating func subscribe(_ message: WireMessage, at time: Instant, _ side: Side) {
    guard let id = message.facts.id else { return }
    let key =
      side == .client
      ? SubscriptionKey(message)?.hash ?? 0
      : StableHash.of(message.bytes(message.facts.arguments), seed: StableHash.of(message.bytes(message.facts.path)))
    let new = Subscription(id: id, key: key, sent: time, order: takeOrder())
    if let index = subscription(id) {
      subscriptions[index] = new
    } else if subscriptions.count < Self.capacity {
      subscriptions.append(new)
    } else {
      hasOverflowed = true
    }
  }

  private mutating func call(_ message: WireMessage, at time: Instant, _ known: Call?) {
    guard let request = message.facts.request else { return }
    guard calls.count < Self.capacity else { return hasOverflowed = true }
    if var known {
      known.sent = time
      known.order = takeOrder()
      calls.append(known)
    } else {
      calls.append(
        Call(
          request: request, isMutation: CallContent.isMutation(message), sent: time, order: takeOrder(),
          hash: CallContent.hash(message),
          marker: CallContent.marker(message)))
    }
  }

  private mutating func takeOrder() -> UInt32 {
    nextOrder &+= 1
    return nextOrder
  }

  /// Begins anew, keeping the memory.
  mutating func clear() {
    let (oldSubscriptions, oldCalls) = (subscriptions, calls)
    self = ConnectionView()
    subscriptions = oldSubscriptions
    calls = oldCalls
    subscriptions.removeAll(keepingCapacity: true)
    calls.removeAll(keepingCapacity: true)
  }
}

/// What identifies a call beyond its number.
enum CallContent {
  static func isMutation(_ message: WireMessage) -> Bool {
    message.bytes(message.facts.name).elementsEqual(#""mutation""#.utf8)
  }

  /// Of kind, path and arguments as written, so of the marker too.
  static func hash(_ message: WireMessage) -> UInt64 {
    let head = StableHash.of(
      message.bytes(message.facts.path), seed: StableHash.of(message.bytes(message.facts.name)))
    return StableHash.of(message.bytes(message.facts.arguments), seed: head)
  }

  /// The first marker in the arguments.
  static func marker(_ message: WireMessage) -> Marker? {
    guard let range = message.facts.arguments else { return nil }
    return Markers.first(in: message.payload, range)
  }
}

/// Looks for markers in a part of a payload.
enum Markers {
  static func first(in payload: [UInt8], _ range: ByteRange) -> Marker? {
    var found: Marker?
    forEach(in: payload, range) {
      found = $0
      return false
    }
    return found
  }

  @inline(__always)
  static func forEach(in payload: [UInt8], _ range: ByteRange, _ body: (Marker) -> Bool) {
    guard Int(range.upper) <= payload.count else { return }
    payload.withUnsafeBytes { Marker.forEach(in: UnsafeRawBufferPointer(rebasing: $0[range.range]), body) }
  }
}
