/// Which figure of a subject a budget is about.
public enum BudgetAggregate: Hashable, Sendable, CustomStringConvertible {
  /// From 0 (exclusive) to 100.
  case percentile(Double)
  case min
  case max
  case mean
  /// How many.
  case count
  /// How many per second of the window.
  case rate
  /// How many of those that could have been.
  case share

  /// What people write; any `p` with a number up to 100 is one too.
  static let names = ["p50", "p95", "p99", "p99.9", "min", "max", "mean", "count", "rate", "share"]

  /// Nil for a word that is none.
  init?(_ word: String) {
    switch word {
    case "min": self = .min
    case "max": self = .max
    case "mean": self = .mean
    case "count": self = .count
    case "rate": self = .rate
    case "share": self = .share
    default:
      guard word.utf8.first == UInt8(ascii: "p"), word.utf8.count <= 12,
        word.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
        let p = Double(word.dropFirst()), p > 0, p <= 100
      else { return nil }
      self = .percentile(p)
    }
  }

  /// Whether it asks for a figure of single samples.
  var isOfDistribution: Bool {
    switch self {
    case .percentile, .min, .max, .mean: true
    case .count, .rate, .share: false
    }
  }

  public var description: String {
    switch self {
    case .percentile(let p): p == p.rounded() ? "p\(Int(p))" : "p\(p)"
    case .min: "min"
    case .max: "max"
    case .mean: "mean"
    case .count: "count"
    case .rate: "rate"
    case .share: "share"
    }
  }
}
