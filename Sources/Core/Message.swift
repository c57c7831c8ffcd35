/// The protocol's meaning of a message, as a number that the Protocols target names (see `OnebaseKind`, …).
///
/// 0 is "not classified", 1 is "not a message of the protocol"; each protocol has a range of its own.
public struct MessageKind: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let unclassified = MessageKind(rawValue: 0)
  public static let malformed = MessageKind(rawValue: 1)
}

/// A piece of a message's payload, by offsets in bytes.
public struct ByteRange: Hashable, Sendable {
  public var lower: UInt32
  public var upper: UInt32
  @inlinable public init(_ lower: Int, _ upper: Int) {
    self.lower = UInt32(lower)
    self.upper = UInt32(upper)
  }
  @inlinable public var range: Range<Int> { Int(lower)..<Int(upper) }
  @inlinable public var count: Int { Int(upper - lower) }
}

/// What one scan of a message found. Made once, at the proxy, and shared by taps, faults and judge; texts stay in the
/// payload and are named by range (of the raw JSON value, quotes included).
public struct MessageFacts: Hashable, Sendable {
  public struct Flags: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// `ok: true`, or status "ok".
    public static let ok = Flags(rawValue: 1)
    /// `ended: true` in a failed auth reply.
    public static let ended = Flags(rawValue: 2)
    /// A credential that is not null.
    public static let hasToken = Flags(rawValue: 4)
    /// An identifier (`id`, `requestId`, `ref`) was there but of the wrong JSON type.
    public static let badIdentifier = Flags(rawValue: 8)
  }

  public var kind: MessageKind
  public var flags: Flags = []
  /// Subscription id (onebase); numeric join_ref (palbase).
  public var id: Int64?
  /// requestId of a call or a result (onebase); numeric ref (palbase).
  public var request: Int64?
  /// Function path (onebase); topic (palbase).
  public var path: ByteRange?
  /// `args` (onebase); `payload` (palbase).
  public var arguments: ByteRange?
  /// `value` of an update or a result; `response` of a reply.
  public var value: ByteRange?
  /// `kind` of a call (onebase); `event` (palbase).
  public var name: ByteRange?
  /// `error`, or a refusal's reason.
  public var error: ByteRange?
  /// `token` of an auth; `identity` of its reply.
  public var credential: ByteRange?
  /// The updates and results inside a transition, in the order written; their ranges are within the whole payload.
  public var parts: [MessageFacts] = []

  public init(kind: MessageKind) { self.kind = kind }
}

/// A whole data message as it crossed the wire: what it is, and its bytes.
public struct WireMessage: Hashable, Sendable {
  /// True for a text message, false for a binary one.
  public var isText: Bool
  /// The payload, unmasked and put together from its fragments.
  public var payload: [UInt8]
  public var facts: MessageFacts

  public init(isText: Bool = true, payload: [UInt8], facts: MessageFacts) {
    self.isText = isText
    self.payload = payload
    self.facts = facts
  }

  /// The bytes of a range of the payload.
  public func bytes(_ range: ByteRange?) -> ArraySlice<UInt8> { range.map { payload[$0.range] } ?? [] }
  /// The text of a range of the payload, as written (a JSON string keeps its quotes and escapes).
  public func text(_ range: ByteRange?) -> String { String(decoding: bytes(range), as: UTF8.self) }
}
