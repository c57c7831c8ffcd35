import Core
import JSON
import Metrics

/// The figures of a run as JSON: per metric and window, in seconds (durations) or plain numbers (counts).
enum MetricsJSON {
  /// The percentiles that summaries list.
  static let percentiles: [Double] = [50, 90, 95, 99, 99.9]

  /// The windows that a budget could name, in order.
  static func windowNames(_ timeline: WindowTimeline) -> [String] { timeline.windows.map { timeline.name(of: $0) } }

  /// `{metric: {window: {count, censored, min, mean, p50, …, max}}}`; windows without samples are left out. The
  /// generator's own lag is a figure of the machine and stands under `wallClock`.
  static func metrics(_ metrics: MetricSet) -> JSONValue {
    var object = JSONObject()
    for metric in Metric.all where metric != .loopLag {
      for series in Series.all(of: metric) {
        var windows = JSONObject()
        for window in metrics.timeline.windows {
          let histogram = metrics.histogram(series, in: window)
          if !histogram.isEmpty {
            windows[metrics.timeline.name(of: window)] = figures(histogram, unit: metric.unit)
          }
        }
        if !windows.isEmpty { object[series.description] = .object(windows) }
      }
    }
    let perClient = metrics.reconnectsPerClient.distribution
    if !perClient.isEmpty { object["reconnects per client"] = ["whole": figures(perClient, unit: .count)] }
    return .object(object)
  }

  /// `{counter: {window: number}}`; counters that counted nothing are left out.
  static func counters(_ metrics: MetricSet) -> JSONValue {
    var object = JSONObject()
    for counter in Counter.all where metrics.total(counter) > 0 {
      var windows = JSONObject()
      for window in metrics.timeline.windows where metrics.total(counter, in: window) > 0 {
        windows[metrics.timeline.name(of: window)] = .integer(Int64(clamping: metrics.total(counter, in: window)))
      }
      object[counter.name] = .object(windows)
    }
    return .object(object)
  }

  /// Attempts after drops, per attempt number: how many, how evenly spread, and the busiest 100 ms.
  static func dispersion(_ metrics: MetricSet) -> JSONValue {
    var rows: [JSONValue] = []
    for attempt in 1...MetricSet.highestDispersedAttempt {
      let dispersion = metrics.dispersion(attempt: attempt)
      guard dispersion.total > 0 else { continue }
      rows.append([
        "attempt": .integer(Int64(attempt)),
        "count": .integer(Int64(clamping: dispersion.total)),
        "index": dispersion.index.map { .number($0) } ?? .null,
        "busiestShare": dispersion.busiestShare.map { .number($0) } ?? .null,
        "busiestFrom": SummaryJSON.seconds(dispersion.busiest?.from),
      ])
    }
    return .array(rows)
  }

  private static func figures(_ histogram: Histogram, unit: Metric.Unit) -> JSONValue {
    func value(_ duration: Duration?) -> JSONValue {
      guard let duration else { return .null }
      return unit == .duration ? .number(duration.inSeconds) : .integer(duration.nanoseconds)
    }
    var object = JSONObject()
    object["count"] = .integer(Int64(clamping: histogram.count))
    object["unfinished"] = .integer(Int64(clamping: histogram.censoredCount))
    object["min"] = value(histogram.min)
    object["mean"] =
      unit == .duration ? value(histogram.mean) : histogram.mean.map { .number(Double($0.nanoseconds)) } ?? .null
    var bounds: [JSONValue] = []
    for p in percentiles {
      let percentile = histogram.percentile(p)
      let name = "p" + Quantity.fixed(p, decimals: p == p.rounded() ? 0 : 1)
      object[name] = value(percentile?.value)
      if percentile?.isLowerBound == true { bounds.append(.string(name)) }
    }
    object["max"] = value(histogram.max)
    // Percentiles that landed on something unfinished: the true value is higher than the one printed.
    if !bounds.isEmpty { object["lowerBounds"] = .array(bounds) }
    return .object(object)
  }
}
