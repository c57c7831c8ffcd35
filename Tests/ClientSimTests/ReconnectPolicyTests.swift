import Core
import JSON
import Testing

@testable import ClientSim

struct ReconnectPolicyTests {
  func pauses(_ policy: ReconnectPolicy, _ attempts: Int = 8) -> [Double] {
    (1...attempts).map { policy.pause(attempt: $0).inSeconds }
  }

  @Test func pausesPerAttemptAreThePolicys() {
    #expect(pauses(.onebase) == [0.5, 1, 2, 4, 8, 16, 30, 30])
    let triple = ReconnectPolicy(.exponential(base: .milliseconds(100), factor: 3, cap: .seconds(2)), jitter: .none)
    #expect(pauses(triple, 5) == [0.1, 0.3, 0.9, 2, 2])
    #expect(pauses(ReconnectPolicy(.fixed(.seconds(3)), jitter: .none), 3) == [3, 3, 3])
    let list = ReconnectPolicy(.list([.milliseconds(500), .seconds(1), .seconds(30)]), jitter: .none)
    #expect(pauses(list, 5) == [0.5, 1, 30, 30, 30])
    #expect(ReconnectPolicy.onebase.pause(attempt: 1_000_000_000) == .seconds(30))
  }

  @Test(arguments: [
    (ReconnectPolicy.Jitter.full, 0.0, 10.0), (.equal, 5, 10), (.share(0.5), 5, 15), (.share(0.1), 9, 11),
    (.none, 10, 10),
  ])
  func jitterFillsItsBandAndDoesNotLeaveIt(_ jitter: ReconnectPolicy.Jitter, _ low: Double, _ high: Double) {
    // At the cap, where jitter drawn before it would be cut off.
    let policy = ReconnectPolicy(.exponential(base: .seconds(1), factor: 10, cap: .seconds(10)), jitter: jitter)
    var random = SeededRandom(seed: 3, purpose: .test)
    let drawn = (0..<2000).map { _ in policy.pause(attempt: 9, &random).inSeconds }
    #expect(drawn.allSatisfy { $0 >= low && $0 <= high })
    let margin = (high - low) / 100
    #expect((drawn.min() ?? 99) <= low + margin && (drawn.max() ?? 0) >= high - margin)
    let mean = drawn.reduce(0, +) / 2000
    #expect(abs(mean - (low + high) / 2) <= (high - low) / 40)
  }

  @Test func oneClientsDrawsDoNotDependOnAnothers() {
    func draws(_ client: UInt32, seed: UInt64 = 1) -> [Duration] {
      var backoff = Backoff(.onebase, seed: seed, client: ClientID(client))
      return (0..<10).map { _ in backoff.next() }
    }
    let alone = draws(4)
    var others = (0..<4).map { Backoff(.onebase, seed: 1, client: ClientID($0)) }
    var fourth = Backoff(.onebase, seed: 1, client: ClientID(4))
    var together: [Duration] = []
    for _ in 0..<10 {
      for index in others.indices { _ = others[index].next() }
      together.append(fourth.next())
    }
    #expect(together == alone)
    #expect(draws(5) != alone && draws(4, seed: 2) != alone)
  }

  @Test func policiesAreDecoded() {
    func decode(_ text: String) -> (ReconnectPolicy?, [String]) {
      let (value, diagnostics) = LocatedJSON.read(text)
      let policy = ReconnectPolicy.decode(value, diagnostics)
      return (policy, diagnostics.all.map { $0.rendered(file: "s") })
    }
    #expect(decode("'onebase'").0 == .onebase)
    #expect(
      decode("{exponential: {base: '1s', factor: 3, cap: '9s'}, jitter: 'full'}").0
        == ReconnectPolicy(.exponential(base: .seconds(1), factor: 3, cap: .seconds(9)), jitter: .full))
    #expect(decode("{fixed: '2s', jitter: 'none'}").0 == ReconnectPolicy(.fixed(.seconds(2)), jitter: .none))
    #expect(
      decode("{list: ['1s', '2s'], jitter: '± 10%'}").0
        == ReconnectPolicy(.list([.seconds(1), .seconds(2)]), jitter: .share(0.1)))
    #expect(decode("{fixed: '2s'}").0?.jitter == .share(0.5))
    for wrong in [
      "'twobase'", "{}", "{fixed: '1s', list: ['1s']}", "{list: []}", "{list: [3]}", "{fixed: '1s', jitter: 'some'}",
    ] {
      #expect(decode(wrong).1.count == 1, "\(wrong)")
      #expect(decode(wrong).1.first?.hasPrefix("s:1:") == true, "\(wrong)")
    }
  }
}
