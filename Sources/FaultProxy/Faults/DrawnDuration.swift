public import Core
public import JSON

/// A duration that is drawn anew each time, around a mean.
public struct DrawnDuration: Hashable, Sendable {
  public enum Distribution: String, CaseIterable, Hashable, Sendable {
    /// Always the mean.
    case constant
    /// The mean ± `jitter`, evenly.
    case uniform
    /// Around the mean with the standard deviation `jitter`, cut at 0 and at the mean + 6 `jitter`.
    case normal
    /// At least the mean - `jitter`, with a heavy tail (shape 3), cut at the mean + 20 `jitter`.
    case pareto
  }

  public var mean: Duration
  /// At most the mean.
  public var jitter: Duration
  public var distribution: Distribution

  public init(mean: Duration, jitter: Duration = .zero, distribution: Distribution? = nil) {
    self.mean = mean
    self.jitter = jitter
    self.distribution = distribution ?? (jitter == .zero ? .constant : .uniform)
  }

  /// Decodes `key` (the mean, required), `jitter` and `distribution`; nil after reporting a mistake.
  public init?(_ options: SectionDecoder, _ key: String, in range: ClosedRange<Duration>) {
    let mean = options.duration(key, in: range, required: true)
    let jitter = options.duration("jitter", in: .zero...range.upperBound)
    let distribution: Distribution? = options.choice("distribution")
    guard let mean else { return nil }
    if let jitter, jitter > mean {
      options.mistake(
        "jitter", "\"jitter\" of \(Quantity.text(jitter)) is more than the \(key)",
        expected: "at most \"\(key)\", \(Quantity.text(mean))")
      return nil
    }
    if distribution == .constant, let jitter, jitter > .zero {
      options.mistake("distribution", "\"constant\" has no jitter", expected: "\"uniform\", \"normal\" or \"pareto\"")
      return nil
    }
    if let distribution, distribution != .constant, (jitter ?? .zero) == .zero {
      options.mistake(
        "distribution", "\"\(distribution.rawValue)\" needs a \"jitter\"", expected: "a \"jitter\" beside it")
      return nil
    }
    self.init(mean: mean, jitter: jitter ?? .zero, distribution: distribution)
  }

  /// One draw.
  public func draw(_ random: inout SeededRandom) -> Duration {
    let (mean, jitter) = (self.mean.nanoseconds, self.jitter.nanoseconds)
    switch distribution {
    case .constant: return self.mean
    case .uniform: return .nanoseconds(random.integer(in: mean - jitter...mean + jitter))
    case .normal:
      let drawn = random.normal(mean: Double(mean), deviation: Double(jitter))
      return .nanoseconds(Int64(min(max(drawn, 0), Double(mean) + 6 * Double(jitter))))
    case .pareto:
      // A Pareto of shape 3 and minimum m has the mean 1.5 m: what is added to the floor has the mean `jitter`.
      let shape = 3.0
      let minimum = Double(jitter) * (shape - 1) / shape
      let drawn = random.pareto(minimum: minimum, shape: shape)
      return .nanoseconds(mean - jitter + Int64(min(drawn, 21 * Double(jitter))))
    }
  }
}
