public import Core
public import JSON

/// Through which parts of the proxy a fault acts.
public struct FaultHooks: OptionSet, Hashable, Sendable {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// `accept`: what becomes of a new connection.
  public static let accept = FaultHooks(rawValue: 1)
  /// `stage`: bytes are held, paced or changed.
  public static let bytes = FaultHooks(rawValue: 2)
  /// `filter`: WebSocket frames are dropped.
  public static let frames = FaultHooks(rawValue: 4)
  /// `filter`: whole data messages are held until they can be judged.
  public static let messages = FaultHooks(rawValue: 8)
  /// `apply`: once to each connection that is open when it begins, in slices.
  public static let connections = FaultHooks(rawValue: 16)
  /// It puts frames in, so the boundaries of frames must be known.
  public static let boundaries = FaultHooks(rawValue: 32)
  /// Its stages act by time alone, so they are made when it begins, not with the next bytes.
  public static let eager = FaultHooks(rawValue: 128)
  /// `age`: `apply` is called for each connection when it has reached an age of its own.
  public static let ages = FaultHooks(rawValue: 64)
}

/// A kind of fault with its options: a value that is decoded before the run and never changes.
///
/// A fault says through `hooks` what it does and implements those hooks; the others do nothing by default. State belongs
/// to what the hooks return (a stage or filter per connection and direction), or to `makeShared`. See
/// `docs/adding-a-fault.md`.
public protocol Fault: Sendable {
  /// Its name in scenarios.
  static var kind: String { get }
  /// One sentence on what happens on the wire.
  static var summary: String { get }
  /// What `direction` is when it is not written; nil for a fault without directions.
  static var defaultDirection: FaultDirection? { get }
  /// Whether it happens at one moment, so that `for` means nothing.
  static var isMoment: Bool { get }
  /// Whether it may begin on each connection at a time of its own (`afterConnect`, `onMessage`); not so for faults on
  /// connections that are only being made.
  static var beginsPerConnection: Bool { get }

  /// Decodes its own options (not `fault`, `name`, `at`, `for`, `clients`, `direction`); nil where one is wrong, after
  /// reporting it.
  init?(_ options: SectionDecoder)

  var hooks: FaultHooks { get }

  /// Reports what does not go together with target, trigger or direction.
  func check(_ entry: FaultEntry, _ options: SectionDecoder)

  /// What the judge is to read it as: its kind, with a word behind a colon where that decides what it hides.
  func judgedAs(_ entry: FaultEntry) -> String

  /// State that its hooks share on one loop while it is on: what `FaultScope.shared` is.
  func makeShared() -> AnyObject?

  // Edges, told once per loop.
  func started(_ proxy: any FaultedProxy, _ scope: FaultScope)
  func ended(_ proxy: any FaultedProxy, _ scope: FaultScope)

  /// Asked for each new connection that it hits. The first fault that does not answer `.proceed` decides.
  func accept(_ scope: FaultScope) -> AcceptDecision
  /// What its bytes pass through in one direction of a connection that it hits; asked once per connection.
  func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage?
  /// What its frames and messages pass through; asked once per connection and direction.
  func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter?
  /// How old a connection becomes before `apply` is called (`.ages`), from its accept, or from the fault's beginning for
  /// one that was open before; asked once per connection.
  func age(_ scope: FaultScope) -> Duration
  /// Acts on a connection that it hits.
  func apply(to connection: any FaultedConnection, _ scope: FaultScope)
}

extension Fault {
  public static var defaultDirection: FaultDirection? { nil }
  public static var isMoment: Bool { false }
  public static var beginsPerConnection: Bool { true }
  public func check(_ entry: FaultEntry, _ options: SectionDecoder) {}
  public func judgedAs(_ entry: FaultEntry) -> String { Self.kind }
  public func makeShared() -> AnyObject? { nil }
  public func started(_ proxy: any FaultedProxy, _ scope: FaultScope) {}
  public func ended(_ proxy: any FaultedProxy, _ scope: FaultScope) {}
  public func accept(_ scope: FaultScope) -> AcceptDecision { .proceed }
  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { nil }
  public func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter? { nil }
  public func age(_ scope: FaultScope) -> Duration { .zero }
  public func apply(to connection: any FaultedConnection, _ scope: FaultScope) {}
}
