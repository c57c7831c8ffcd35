import Core

/// One testable statement of a protocol: a value that takes observations in, and gives a verdict.
///
/// A clause keeps a tally that merges, and what it must remember per connection or client in tables that the scene
/// indexes. It never iterates a dictionary, and its memory does not grow with the length of the run.
public protocol Clause: Sendable {
  static var info: ClauseInfo { get }
  /// What it is called for.
  static var topics: Topics { get }

  init(_ options: JudgeOptions)

  /// A data message. `scene` shows the state before it.
  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene)
  /// Anything else. `scene` shows the state before it.
  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene)
  /// The connection is over on the side that the clause judges by (the client's for a C clause, the server's for an S
  /// clause). `cut` when the run's end ended it: what is still open then was cut off, not broken.
  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene)
  /// The run is over, and every connection was told `ended`.
  mutating func finish(at time: Instant, _ scene: inout Scene)

  /// Adds another loop's or process's partial result. Associative; both have finished.
  mutating func merge(_ other: Self)
  func finding() -> ClauseFinding
}

extension Clause {
  public mutating func observe(
    _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {}
  public mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {}
  public mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {}
  public mutating func finish(at time: Instant, _ scene: inout Scene) {}

  /// Merges if `other` is the same clause; what holds clauses of many types needs it.
  mutating func mergeSame(_ other: any Clause) {
    if let other = other as? Self { merge(other) }
  }
}

/// A clause whose partial result is a tally, which is nearly every one.
protocol TallyingClause: Clause {
  var tally: Tally { get set }
  /// The tolerance in words, with the numbers used.
  var tolerance: String { get }
  /// A figure worth a line beside a pass.
  var note: String? { get }
}

extension TallyingClause {
  public mutating func merge(_ other: Self) { tally.merge(other.tally) }
  public func finding() -> ClauseFinding { tally.finding(Self.info, tolerance: tolerance, note: note) }
  var tolerance: String { "" }
  var note: String? { nil }

  /// Records a violation at `place`, with the frames around it.
  mutating func violate(
    _ text: String, at time: Instant, _ place: Place, _ scene: inout Scene, severity: Double = 0, faults: FaultSet = []
  ) {
    let evidence = scene.evidence(text, at: time, place, severity: severity)
    tally.violated(evidence, faults: faults)
    scene.violations.add(Self.info.id, evidence)
  }
}
