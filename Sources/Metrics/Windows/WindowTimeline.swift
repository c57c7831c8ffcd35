import Core

/// Knows which windows an instant of the run lies in, from the timeline's faults and from when clients were live again.
///
/// - `whole` is everything.
/// - `during NAME` is from the fault's start to just before its end; a fault that acts at one moment has none.
/// - `after NAME` is from the fault's end (its moment, for one that has no length) until everything wanted is live,
///   looked for from 1 s after the end on and 60 s after it at the latest. The first second always belongs to it: a
///   drop takes a moment to be noticed, and a fault that dropped no one is followed by a window all the same.
/// - `steady` is the rest of the run's duration: no fault on, no `after` open. It begins with the run, ramp included.
///
/// What something belongs to is told by its **intended** time. One timeline belongs to one loop, which marks when all
/// of *its* clients are live; `merge` takes the later closing times. Times given must not go backwards.
public struct WindowTimeline: Hashable, Sendable {
  /// A fault as far as windows are concerned.
  public struct Fault: Hashable, Sendable {
    /// The scenario's name for it, unique in the timeline.
    public var name: String
    /// When it starts, from the run's epoch.
    public var at: Instant
    /// How long it stays on; nil for one that acts at one moment (reset, close). One without an end in the scenario
    /// stays on for the rest of the run's duration.
    public var length: Duration?

    public init(name: String, at: Instant, length: Duration?) {
      self.name = name
      self.at = at
      self.length = length.flatMap { $0 > .zero ? $0 : nil }
    }

    public var end: Instant { length.map { at + $0 } ?? at }
  }

  /// How many faults can have windows; a scenario with more is refused before it runs.
  public static let mostFaults = 63
  /// How long an `after` window stays open at least, and at most.
  public static let shortestAfter = Duration.seconds(1)
  public static let longestAfter = Duration.seconds(60)
  /// Names that faults must not have, because budgets read them otherwise.
  public static let reservedNames = ["whole", "steady"]

  /// The faults, in the order of the timeline; their position is their ordinal. At most `mostFaults`.
  public let faults: [Fault]
  /// The run's planned duration.
  public let duration: Duration
  /// When the run ended; nil while it runs.
  public private(set) var finished: Instant?

  /// Per fault the first instant past its `after` window, as far as known; first the latest that it can be.
  private var closings: [Instant]
  /// Since when everything wanted is live; nil while something is not.
  private var liveSince: Instant?

  /// Faults beyond `mostFaults` get no windows.
  public init(faults: [Fault], duration: Duration) {
    self.faults = Array(faults.prefix(Self.mostFaults))
    self.duration = duration
    closings = self.faults.map { $0.end + Self.longestAfter }
  }

  /// A finished timeline from a run record: the closings as `afterClosings` gave them. Nil if their number is not that of
  /// the faults, or one lies outside what its window can be.
  public init?(faults: [Fault], duration: Duration, closings: [Instant], finished: Instant) {
    self.init(faults: faults, duration: duration)
    guard closings.count == self.faults.count,
      zip(closings, self.faults).allSatisfy({ $0 >= $1.end && $0 <= $1.end + Self.longestAfter })
    else { return nil }
    self.closings = closings
    self.finished = finished
  }

  /// Per fault the first instant past its `after` window, as far as known.
  public var afterClosings: [Instant] { faults.indices.map(closing(of:)) }

  // MARK: Marking

  /// Everything wanted is live from `time` on. Saying it again while it stays so changes nothing.
  public mutating func markLive(at time: Instant) {
    if liveSince == nil { liveSince = time }
  }

  /// Something wanted is not live from `time` on.
  public mutating func markNotLive(at time: Instant) {
    guard let since = liveSince else { return }
    for ordinal in closings.indices {
      let closing = closing(of: ordinal, liveSince: since)
      if closing <= time + Self.tick { closings[ordinal] = min(closings[ordinal], closing) }
    }
    liveSince = nil
  }

  /// The run, or this loop's part of it, ended, settling included: `after` windows still open end here.
  public mutating func finish(at time: Instant) {
    markNotLive(at: time)
    for ordinal in closings.indices { closings[ordinal] = min(closings[ordinal], max(time, faults[ordinal].end)) }
    finished = time
  }

  /// Takes the later of each closing time. Associative and commutative over finished timelines.
  ///
  /// - Throws: `MetricMergeError` when the other is of another scenario.
  public mutating func merge(_ other: WindowTimeline) throws(MetricMergeError) {
    guard faults == other.faults, duration == other.duration else { throw .otherTimeline }
    for ordinal in closings.indices { closings[ordinal] = max(closing(of: ordinal), other.closing(of: ordinal)) }
    liveSince = nil
    finished = [finished, other.finished].compactMap { $0 }.max()
  }

  /// The first instant that is not in the window any more comes one tick after it was closed, so that what was
  /// recorded in the instant of closing stays where it was put.
  private static let tick = Duration.nanoseconds(1)

  private func closing(of ordinal: Int) -> Instant {
    liveSince.map { closing(of: ordinal, liveSince: $0) } ?? closings[ordinal]
  }

  private func closing(of ordinal: Int, liveSince: Instant) -> Instant {
    min(closings[ordinal], max(liveSince, faults[ordinal].end + Self.shortestAfter) + Self.tick)
  }

  // MARK: Asking

  /// The windows of something that was meant to happen at `time`.
  public func windows(at time: Instant) -> WindowSet {
    var set = WindowSet.empty
    set.insert(.whole)
    var isSteady = time.nanoseconds >= 0 && time < Instant.zero + duration
    for (ordinal, fault) in faults.enumerated() where time >= fault.at {
      if time < fault.end {
        set.insert(.during(ordinal))
        isSteady = false
      } else if time < closing(of: ordinal) {
        set.insert(.after(ordinal))
        isSteady = false
      }
    }
    if isSteady { set.insert(.steady) }
    return set
  }

  /// The windows at `time`, and the span around it in which they are the same until something is marked.
  func segment(at time: Instant) -> (windows: WindowSet, span: Range<Instant>) {
    var lower = Instant(nanoseconds: .min)
    var upper = Instant.distantFuture
    func edge(_ instant: Instant) {
      if instant <= time { lower = max(lower, instant) } else { upper = min(upper, instant) }
    }
    edge(.zero)
    edge(.zero + duration)
    for (ordinal, fault) in faults.enumerated() {
      edge(fault.at)
      edge(fault.end)
      edge(closing(of: ordinal))
    }
    return (windows(at: time), lower..<upper)
  }

  /// How many windows there are.
  public var count: Int { 2 + 2 * faults.count }
  /// All windows that can hold anything: not `during` a fault that acts at one moment.
  public var windows: [Window] {
    [.whole, .steady]
      + faults.indices.flatMap { faults[$0].length == nil ? [.after($0)] : [.during($0), .after($0)] }
  }

  /// `whole`, `steady`, `during NAME`, `after NAME`.
  public func name(of window: Window) -> String {
    guard let ordinal = window.ordinal else { return window == .whole ? "whole" : "steady" }
    guard ordinal < faults.count else { return "unknown" }
    return (window.isAfter ? "after " : "during ") + faults[ordinal].name
  }

  /// The window of this name, written as `name(of:)` does; nil if there is none.
  public func window(named name: String) -> Window? { windows.first { self.name(of: $0) == name } }

  /// The position of the fault with this name.
  public func ordinal(ofFault name: String) -> Int? { faults.firstIndex { $0.name == name } }

  /// When the window was open: ascending, disjoint; what lies past the end of the run left out, and of `whole`
  /// and `steady` what lies past its planned duration (the settling). Empty for a window that never opened.
  public func spans(of window: Window) -> [Range<Instant>] {
    let end = finished ?? (Instant.zero + duration)
    guard let ordinal = window.ordinal else {
      let planned = min(end, Instant.zero + duration)
      return window == .whole ? Self.clip(.zero, planned, to: end) : steadySpans(until: planned)
    }
    guard ordinal < faults.count else { return [] }
    let fault = faults[ordinal]
    return window.isAfter
      ? Self.clip(fault.end, closing(of: ordinal), to: end) : Self.clip(fault.at, fault.end, to: end)
  }

  /// How long the window was open in all.
  public func length(of window: Window) -> Duration {
    spans(of: window).reduce(.zero) { $0 + ($1.upperBound - $1.lowerBound) }
  }

  private static func clip(_ from: Instant, _ to: Instant, to end: Instant) -> [Range<Instant>] {
    let upper = min(to, end)
    return from < upper ? [from..<upper] : []
  }

  private func steadySpans(until end: Instant) -> [Range<Instant>] {
    var spans: [Range<Instant>] = []
    var from = Instant.zero
    let busy = faults.indices.map { (faults[$0].at, closing(of: $0)) }.sorted { $0 < $1 }
    for (start, closing) in busy {
      spans += Self.clip(from, start, to: end)
      from = max(from, closing)
    }
    return spans + Self.clip(from, end, to: end)
  }
}

/// Why two parts of a run's metrics cannot be put together.
public enum MetricMergeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// They were recorded over different timelines.
  case otherTimeline

  public var description: String {
    switch self {
    case .otherTimeline:
      "the parts were recorded with different faults or durations; merge only records of one scenario's shards"
    }
  }
}
