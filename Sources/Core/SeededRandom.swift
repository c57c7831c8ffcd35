import Glibc

/// What a stream of draws is for. One client's draws for one purpose never move those for another.
///
/// Raw values are part of what a seed means: they are never reused or renumbered.
public enum RandomPurpose: UInt64, Sendable {
  case backoff = 1, arrivals = 2, thinkTime = 3, arguments = 4, masking = 5, handshakeKey = 6, faultMembership = 7
  case faultOptions = 8, faultOrder = 9, network = 10, ramp = 11, test = 99
}

/// A seeded generator (SplitMix64), derived from the scenario's seed per purpose and per client.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The stream of `purpose` for `subject` (a client's number, a connection's, a fault's ordinal; 0 where there is one).
  public init(seed: UInt64, purpose: RandomPurpose, subject: UInt64 = 0) {
    state = Self.mix(Self.mix(Self.mix(seed) ^ purpose.rawValue) ^ subject)
  }

  @inlinable public static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  public mutating func next() -> UInt64 {
    let value = Self.mix(state)
    state &+= 0x9E37_79B9_7F4A_7C15
    return value
  }

  /// Uniform in [0, 1).
  public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Uniform in the closed range.
  public mutating func integer(in range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

  /// Exponentially distributed with the given mean; the gaps of a Poisson process.
  public mutating func exponential(mean: Double) -> Double { -log(1 - unit()) * mean }

  /// Normally distributed (Box–Muller).
  public mutating func normal(mean: Double, deviation: Double) -> Double {
    let radius = (-2 * log(1 - unit())).squareRoot()
    return mean + deviation * radius * cos(2 * .pi * unit())
  }

  /// Pareto distributed: at least `minimum`, heavier in the tail the smaller `shape` is (> 0).
  public mutating func pareto(minimum: Double, shape: Double) -> Double { minimum / pow(1 - unit(), 1 / shape) }
}

/// A 64-bit FNV-1a hash that is the same in every process, unlike `Hasher`.
public enum StableHash {
  @inlinable public static func of(_ bytes: some Sequence<UInt8>, seed: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    var hash = seed
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
