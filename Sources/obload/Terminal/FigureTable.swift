import Core
import Metrics

/// The latencies of a run as a table: one row per metric that has samples.
struct FigureTable {
  var metrics: MetricSet

  private static let rows: [Metric] = [
    .connect, .auth, .subscribe, .call, .callService, .transition, .propagation, .propagationLast, .heartbeat,
    .detection, .offline,
  ]

  var lines: [String] {
    let rows = Self.rows.compactMap(row)
    guard !rows.isEmpty else { return [] }
    let head = ["", "count", "p50", "p95", "p99", "max", "unfinished"]
    return ([head] + rows).map { cells in
      Columns.left(cells[0], 18)
        + zip(cells.dropFirst(), [10, 12, 12, 12, 12, 12]).map { Columns.right($0, $1) }.joined()
    }
  }

  private func row(_ metric: Metric) -> [String]? {
    let histogram = metrics.histogram(metric)
    guard !histogram.isEmpty else { return nil }
    let percentiles = [50.0, 95, 99].map { histogram.percentile($0)?.description ?? "–" }
    // The largest is a lower bound when it belongs to something that never finished.
    let largest = histogram.percentile(100)
    let unfinished = histogram.censoredCount == 0 ? "–" : Columns.number(histogram.censoredCount)
    return [metric.name, Columns.number(histogram.count)] + percentiles
      + [(largest?.isLowerBound == true ? "> " : "") + (histogram.max.map(Quantity.text) ?? "–"), unfinished]
  }
}
