import Core
import Testing

@Suite struct InstantTests {
  @Test func addingBeyondTheEndSaturates() {
    #expect(Instant.distantFuture + .seconds(1) == .distantFuture)
    #expect(Instant.seconds(1) + .seconds(10_000_000_000) == .distantFuture)
    #expect(Instant.seconds(1) + .milliseconds(500) == .seconds(1.5))
  }

  @Test func subtractingBeyondTheEndsSaturates() {
    #expect(Instant(nanoseconds: .min) - .seconds(1) == Instant(nanoseconds: .min))
    #expect(Instant.distantFuture - Duration.seconds(-1) == .distantFuture)
    #expect(Instant.distantFuture - Instant(nanoseconds: -1) == .nanoseconds(Int64.max))
    #expect(Instant(nanoseconds: .min) - Instant(nanoseconds: 1) == .nanoseconds(Int64.min))
    #expect(Instant.seconds(3) - Instant.seconds(1) == .seconds(2))
    #expect(Instant.seconds(-1) - Duration.seconds(20_000_000_000) == Instant(nanoseconds: .min))
  }

  @Test func addingNegativeTimeBeforeTheBeginningSaturates() {
    #expect(Instant(nanoseconds: .min) + .seconds(-1) == Instant(nanoseconds: .min))
  }

  @Test func durationsSaturateAsNanoseconds() {
    #expect(Duration.seconds(10_000_000_000).nanoseconds == .max)
    #expect(Duration.seconds(-10_000_000_000).nanoseconds == .min)
    #expect(Duration.milliseconds(-1500).nanoseconds == -1_500_000_000)
    #expect(Duration.fractionalSeconds(0.25) == .milliseconds(250))
    #expect(Duration.fractionalSeconds(.infinity) == .nanoseconds(Int64.max))
    #expect(Duration.fractionalSeconds(-1e30) == .nanoseconds(Int64.min))
    #expect(Duration.fractionalSeconds(.nan) == .zero)
  }
}

@Suite struct SeededRandomTests {
  private func draws(_ seed: UInt64, _ purpose: RandomPurpose, _ subject: UInt64) -> [UInt64] {
    var random = SeededRandom(seed: seed, purpose: purpose, subject: subject)
    return (0..<64).map { _ in random.next() }
  }

  @Test func theSameSeedDrawsTheSame() {
    #expect(draws(7, .backoff, 3) == draws(7, .backoff, 3))
  }

  @Test func seedPurposeAndSubjectMakeStreamsThatShareNothing() {
    let base = Set(draws(7, .backoff, 3))
    for other in [draws(8, .backoff, 3), draws(7, .arrivals, 3), draws(7, .backoff, 4)] {
      #expect(base.isDisjoint(with: other))
    }
  }

  @Test func neighbouringSubjectsAreIndependent() {
    // The mean of the first draws of 2,000 clients is 0.5 ± 5 standard errors, and so is that of their products.
    var sum = 0.0
    var products = 0.0
    var previous = 0.5
    for client in 0..<2000 {
      var random = SeededRandom(seed: 1, purpose: .ramp, subject: UInt64(client))
      let draw = random.unit()
      #expect((0..<1).contains(draw))
      sum += draw
      products += (draw - 0.5) * (previous - 0.5)
      previous = draw
    }
    #expect(abs(sum / 2000 - 0.5) < 5 * 0.2887 / 44.7)
    #expect(abs(products / 2000) < 5 * 0.0834 / 44.7)
  }

  @Test func distributionsHaveTheirMeans() {
    var random = SeededRandom(seed: 2, purpose: .test)
    let count = 20_000
    var exponential = 0.0
    var normal = 0.0
    for _ in 0..<count {
      exponential += random.exponential(mean: 3)
      normal += random.normal(mean: -2, deviation: 1)
      #expect(random.pareto(minimum: 2, shape: 1.5) >= 2)
      #expect((-3...3).contains(random.integer(in: -3...3)))
    }
    #expect(abs(exponential / Double(count) - 3) < 5 * 3 / 141)
    #expect(abs(normal / Double(count) + 2) < 5.0 / 141)
  }

  @Test func theHashIsFNV1a() {
    // Published vectors.
    #expect(StableHash.of([]) == 0xCBF2_9CE4_8422_2325)
    #expect(StableHash.of("a".utf8) == 0xAF63_DC4C_8601_EC8C)
    #expect(StableHash.of("foobar".utf8) == 0x8594_4171_F739_67E8)
  }
}
