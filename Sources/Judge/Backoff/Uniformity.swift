import Core

/// The one-sample test of Kolmogorov and Smirnov against the uniform distribution: do pauses fill their band evenly?
struct Uniformity: Hashable, Sendable {
  /// The largest distance between the two distribution functions.
  let distance: Double
  /// Above this distance an even distribution is refuted at the level of 1 %: 1.628 / √n.
  let threshold: Double
  let count: Int

  /// Fewer values than these are not tested: the threshold is good from here on.
  static let least = 20
  private static let factor = 1.628

  var isUniform: Bool { distance <= threshold }

  /// Tests ascending values against the band from the smallest to the largest of them; given those two, what lies
  /// between is even if the whole was. Nil for too few, and for values that are all alike.
  init?(within values: [Double]) {
    guard let first = values.first, let last = values.last, last > first else { return nil }
    self.init(values.dropFirst().dropLast(), from: first, to: last)
  }

  /// Tests ascending values against a band that is known.
  init?(_ values: some Collection<Double>, from lower: Double, to upper: Double) {
    guard values.count >= Self.least, upper > lower else { return nil }
    let n = Double(values.count)
    var distance = 0.0
    for (index, value) in values.enumerated() {
      let expected = min(max((value - lower) / (upper - lower), 0), 1)
      distance = max(distance, expected - Double(index) / n, Double(index + 1) / n - expected)
    }
    self.distance = distance
    threshold = Self.factor / n.squareRoot()
    count = values.count
  }

  /// As in `even within 250 ms – 750 ms (distance 0.04, at most 0.07)`.
  func text(from lower: Double, to upper: Double) -> String {
    let band = "\(Quantity.text(.fractionalSeconds(lower))) – \(Quantity.text(.fractionalSeconds(upper)))"
    let figures =
      "distance \(Quantity.fixed(distance, decimals: 2)), at most \(Quantity.fixed(threshold, decimals: 2))"
    return "\(isUniform ? "even" : "not even") within \(band) (\(figures))"
  }
}
