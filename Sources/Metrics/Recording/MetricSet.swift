import Core

/// All figures of a run, or of one loop's part of it: histograms and counters per window, counts per client, errors by
/// name, dispersion of attempts.
///
/// Each loop records into its own, without locks, and they are merged at the end; shards' merge the same way. What is
/// recorded goes into every window its intended time lies in. Tables are dense and indexed by small numbers; a
/// histogram exists once something was recorded into it.
public struct MetricSet: Sendable {
  /// Attempt numbers from this one on share one dispersion.
  public static let highestDispersedAttempt = 8

  /// Knows the windows; tell it when everything is live (`timeline.markLive`) and when the run ends.
  public var timeline: WindowTimeline {
    didSet { segment = (.empty, .zero..<Instant.zero) }
  }
  /// Reconnects, and attempts to connect, per client; over the whole run.
  public var reconnectsPerClient: ClientCounts
  public var attemptsPerClient: ClientCounts
  /// Errors by name, over the whole run; count them with `countError`.
  public private(set) var errors = ErrorCounts()

  /// The windows of the time recorded last: most times lie in the span of the one before.
  private var segment = (windows: WindowSet.empty, span: Instant.zero..<Instant.zero)
  private let windowCount: Int
  /// Per series and window the place of its histogram in `histograms` plus one, or 0.
  private var places: [UInt16]
  private var histograms: [Histogram] = []
  private var totals: [UInt64]
  /// Per attempt number and window the place in `dispersions` plus one, or 0.
  private var dispersionPlaces: [UInt16]
  private var dispersions: [Dispersion] = []

  /// For a run with this timeline and this many clients, numbered from 0.
  public init(timeline: WindowTimeline, clients: Int) {
    self.timeline = timeline
    windowCount = timeline.count
    places = [UInt16](repeating: 0, count: Series.count * windowCount)
    totals = [UInt64](repeating: 0, count: Counter.count * windowCount)
    dispersionPlaces = [UInt16](repeating: 0, count: Self.highestDispersedAttempt * windowCount)
    reconnectsPerClient = ClientCounts(clients: clients)
    attemptsPerClient = ClientCounts(clients: clients)
  }

  // MARK: Recording

  /// Records a duration that was meant to begin at `intended`. `attempt` is for metrics kept apart per attempt number;
  /// numbers above 32 share one series.
  public mutating func record(_ metric: Metric, attempt: Int? = nil, _ value: Duration, intended: Instant) {
    let nanoseconds = value.nanoseconds
    update(Series(metric, attempt: attempt), at: intended) { $0.record(nanoseconds: nanoseconds) }
  }

  /// Records something that was lost, or is still out, after having waited this long.
  public mutating func recordAtLeast(_ metric: Metric, attempt: Int? = nil, _ waited: Duration, intended: Instant) {
    update(Series(metric, attempt: attempt), at: intended) { $0.recordAtLeast(waited) }
  }

  /// Records a number of things, for a metric of counts.
  public mutating func recordCount(_ metric: Metric, _ value: Int, intended: Instant) {
    update(Series(metric), at: intended) { $0.record(nanoseconds: Int64(value)) }
  }

  /// Counts something that was meant to happen at `intended`.
  public mutating func count(_ counter: Counter, at intended: Instant, by times: UInt64 = 1) {
    let row = counter.slot * windowCount
    windows(at: intended).forEachIndex { totals[row + $0] = totals[row + $0].addingClamped(times) }
  }

  /// Counts an error under its name, and in the `errors` counter.
  public mutating func countError(_ name: String, at intended: Instant) {
    errors.count(name)
    count(.errors, at: intended)
  }

  /// Records an attempt to come back, so long after its connection's own drop at `drop`.
  public mutating func recordDispersion(attempt: Int, sinceDrop: Duration, drop: Instant) {
    let row = (min(max(attempt, 1), Self.highestDispersedAttempt) - 1) * windowCount
    windows(at: drop).forEachIndex { window in
      dispersions[dispersionPlace(row + window)].record(sinceDrop: sinceDrop)
    }
  }

  private mutating func update(_ series: Series, at intended: Instant, _ body: (inout Histogram) -> Void) {
    let row = series.slot * windowCount
    windows(at: intended).forEachIndex { body(&histograms[place(row + $0)]) }
  }

  private mutating func windows(at time: Instant) -> WindowSet {
    if !segment.span.contains(time) { segment = timeline.segment(at: time) }
    return segment.windows
  }

  private mutating func place(_ cell: Int) -> Int {
    if places[cell] == 0 {
      histograms.append(Histogram())
      places[cell] = UInt16(histograms.count)
    }
    return Int(places[cell]) - 1
  }

  private mutating func dispersionPlace(_ cell: Int) -> Int {
    if dispersionPlaces[cell] == 0 {
      dispersions.append(Dispersion())
      dispersionPlaces[cell] = UInt16(dispersions.count)
    }
    return Int(dispersionPlaces[cell]) - 1
  }

  // MARK: Reading

  /// The samples of a metric in a window; of one attempt number, or of all of them, where it is kept apart.
  public func histogram(_ metric: Metric, attempt: Int? = nil, in window: Window = .whole) -> Histogram {
    guard attempt == nil, metric.isPerAttempt else { return histogram(Series(metric, attempt: attempt), in: window) }
    var all = Histogram()
    for series in Series.all(of: metric) { all.merge(histogram(series, in: window)) }
    return all
  }

  public func histogram(_ series: Series, in window: Window = .whole) -> Histogram {
    guard window.index < windowCount else { return Histogram() }
    let place = places[series.slot * windowCount + window.index]
    return place == 0 ? Histogram() : histograms[Int(place) - 1]
  }

  /// How often it was counted in a window.
  public func total(_ counter: Counter, in window: Window = .whole) -> UInt64 {
    window.index < windowCount ? totals[counter.slot * windowCount + window.index] : 0
  }

  /// The attempts after drops in a window; of one attempt number (8 and above together), or of all.
  public func dispersion(attempt: Int? = nil, in window: Window = .whole) -> Dispersion {
    var all = Dispersion()
    guard window.index < windowCount else { return all }
    let highest = Self.highestDispersedAttempt
    for number in attempt.map({ min(max($0, 1), highest)...min(max($0, 1), highest) }) ?? 1...highest {
      let place = dispersionPlaces[(number - 1) * windowCount + window.index]
      if place != 0 { all.merge(dispersions[Int(place) - 1]) }
    }
    return all
  }

  /// The series that have samples in the window, in the order of reports.
  public func series(in window: Window = .whole) -> [Series] {
    Metric.all.flatMap(Series.all(of:)).filter { series in
      window.index < windowCount && places[series.slot * windowCount + window.index] != 0
    }
  }

  /// Heap bytes in use by histograms; for the memory record.
  public var histogramBytes: Int { histograms.reduce(0) { $0 + $1.bytes + MemoryLayout<Histogram>.stride } }

  // MARK: Merging

  /// Adds the figures of another loop or shard. Exact, associative and commutative.
  ///
  /// - Throws: `MetricMergeError` when the other is of another scenario; nothing is changed then.
  public mutating func merge(_ other: MetricSet) throws(MetricMergeError) {
    try timeline.merge(other.timeline)
    for cell in places.indices where other.places[cell] != 0 {
      histograms[place(cell)].merge(other.histograms[Int(other.places[cell]) - 1])
    }
    for cell in dispersionPlaces.indices where other.dispersionPlaces[cell] != 0 {
      dispersions[dispersionPlace(cell)].merge(other.dispersions[Int(other.dispersionPlaces[cell]) - 1])
    }
    for cell in totals.indices { totals[cell] = totals[cell].addingClamped(other.totals[cell]) }
    reconnectsPerClient.merge(other.reconnectsPerClient)
    attemptsPerClient.merge(other.attemptsPerClient)
    errors.merge(other.errors)
  }

  // MARK: Restoring from a record

  /// Adds stored samples to one series in one window only. Ignored for a window the timeline does not have.
  public mutating func restore(_ histogram: Histogram, _ series: Series, in window: Window) {
    guard window.index < windowCount else { return }
    histograms[place(series.slot * windowCount + window.index)].merge(histogram)
  }

  /// Adds a stored total to one window only.
  public mutating func restore(_ counter: Counter, by times: UInt64, in window: Window) {
    guard window.index < windowCount else { return }
    let cell = counter.slot * windowCount + window.index
    totals[cell] = totals[cell].addingClamped(times)
  }

  /// Adds stored attempts to one window only.
  public mutating func restore(_ dispersion: Dispersion, attempt: Int, in window: Window) {
    guard window.index < windowCount else { return }
    let row = (min(max(attempt, 1), Self.highestDispersedAttempt) - 1) * windowCount
    dispersions[dispersionPlace(row + window.index)].merge(dispersion)
  }

  /// Adds stored errors.
  public mutating func restore(_ errors: ErrorCounts) { self.errors.merge(errors) }
}

extension MetricSet: Equatable {
  /// Whether both hold the same figures; the order in which they came does not matter.
  public static func == (a: MetricSet, b: MetricSet) -> Bool {
    guard a.timeline == b.timeline, a.totals == b.totals, a.errors == b.errors,
      a.reconnectsPerClient == b.reconnectsPerClient, a.attemptsPerClient == b.attemptsPerClient
    else { return false }
    func same<Value: Equatable>(_ a: [UInt16], _ b: [UInt16], _ valuesA: [Value], _ valuesB: [Value], _ none: Value)
      -> Bool
    {
      a.count == b.count
        && a.indices.allSatisfy { cell in
          (a[cell] == 0 ? none : valuesA[Int(a[cell]) - 1]) == (b[cell] == 0 ? none : valuesB[Int(b[cell]) - 1])
        }
    }
    return same(a.places, b.places, a.histograms, b.histograms, Histogram())
      && same(a.dispersionPlaces, b.dispersionPlaces, a.dispersions, b.dispersions, Dispersion())
  }
}
