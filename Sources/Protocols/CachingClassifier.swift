import Core

/// A loop's classifier: remembers the facts of the payloads that came down last, so that a message is scanned once however
/// many of the loop's clients get it, and not again behind the proxy.
///
/// A payload is known by its storage, which is shared (`RecentPayloads`) and held here: what lies at the same place is
/// the same. One per loop, given to its proxy and its clients.
///
/// @unchecked: confined to its loop.
public final class CachingClassifier: MessageClassifier, @unchecked Sendable {
  /// How many are remembered; a power of two.
  private static let places = 64
  /// Shorter payloads, in bytes, are scanned sooner than looked up; they are not shared either.
  private static let smallest = 128

  private struct Entry {
    /// Where the payload lies.
    var address: UInt = 0
    /// Held, so that nothing else comes to lie there.
    var payload: [UInt8] = []
    var isText = false
    var facts = MessageFacts(kind: .unclassified)
  }

  private let base: any MessageClassifier
  @exclusivity(unchecked) private var entries = [Entry](repeating: Entry(), count: CachingClassifier.places)
  /// How many messages were scanned; for tests and benchmarks.
  public private(set) var scans = 0

  public init(_ base: any MessageClassifier) { self.base = base }

  public func facts(isText: Bool, payload: [UInt8], direction: Direction) -> MessageFacts {
    // What clients send is masked, each with its own key: it has its storage for itself, and is scanned at the proxy alone.
    guard direction == .down, payload.count >= Self.smallest else {
      scans &+= 1
      return base.facts(isText: isText, payload: payload, direction: direction)
    }
    let address = payload.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    // Storage is 16 bytes apart at least.
    let place = Int(truncatingIfNeeded: (UInt64(address) >> 4 &* 0x9E37_79B9_7F4A_7C15) >> 32) & (Self.places - 1)
    if entries[place].address == address, entries[place].payload.count == payload.count,
      entries[place].isText == isText
    {
      return entries[place].facts
    }
    scans &+= 1
    let facts = base.facts(isText: isText, payload: payload, direction: direction)
    entries[place] = Entry(address: address, payload: payload, isText: isText, facts: facts)
    return facts
  }

  public func isHeartbeat(_ facts: MessageFacts) -> Bool { base.isHeartbeat(facts) }
  public func isHeartbeatReply(_ facts: MessageFacts) -> Bool { base.isHeartbeatReply(facts) }
}
