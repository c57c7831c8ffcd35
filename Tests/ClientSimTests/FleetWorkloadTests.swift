import Core
import Testing

@testable import ClientSim

struct FleetWorkloadTests {
  func workload(_ pace: CallPlan.Pace, client: UInt32 = 0, seed: UInt64 = 1) -> FleetWorkload {
    let plan = FleetPlan(name: "f", clients: 100, calls: [Make.call(pace: pace)])
    return FleetWorkload(
      SessionContext(client: ClientID(client), plan: plan, seed: seed, runTag: 7), start: .seconds(2))
  }

  func requests(_ workload: inout FleetWorkload, at now: Instant) -> [CallRequest] {
    var commands: [SessionCommand] = []
    workload.takeDue(at: now, into: &commands)
    return commands.compactMap { if case .call(let request) = $0 { request } else { nil } }
  }

  @Test func openArrivalsAreMeantWhenTheScheduleSaysHoweverLateTheyAreTaken() {
    var late = workload(.constant(perSecond: 10))
    var early = workload(.constant(perSecond: 10))
    let atOnce = requests(&late, at: .seconds(12)).map(\.intended)
    var oneByOne: [Instant] = []
    while let due = early.nextDue, due <= .seconds(12) { oneByOne += requests(&early, at: due).map(\.intended) }
    #expect(atOnce == oneByOne)
    #expect(atOnce.count == 100)
    #expect(zip(atOnce, atOnce.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(100) })
    #expect(atOnce[0] >= .seconds(2) && atOnce[0] < .seconds(2.1))
  }

  @Test func poissonArrivalsHaveTheirRateAndAreUneven() {
    var one = workload(.poisson(perSecond: 5))
    let times = requests(&one, at: .seconds(1002)).map(\.intended.seconds)
    // 5,000 expected; the deviation is about 71.
    #expect(abs(times.count - 5000) < 250)
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    #expect(abs(variance.squareRoot() / mean - 1) < 0.1)
  }

  @Test func aClosedLoopWaitsForTheAnswerAndThinks() {
    var one = workload(.loop(think: .seconds(3)))
    let first = one.nextDue ?? .zero
    #expect(first >= .seconds(2) && first < .seconds(5))
    #expect(requests(&one, at: first).count == 1)
    #expect(one.nextDue == nil && requests(&one, at: .seconds(100)).isEmpty)
    one.finished(call: 0, isLost: false, at: .seconds(101))
    #expect(one.nextDue == .seconds(104))
  }

  @Test func aClosedLoopWithoutThinkTimeDoesNotSpinWhileItsCallsAreLost() {
    var one = workload(.loop(think: .zero))
    #expect(requests(&one, at: .seconds(10)).count == 1)
    one.finished(call: 0, isLost: true, at: .seconds(10))
    #expect(one.nextDue == Instant.seconds(10) + FleetWorkload.pauseAfterLoss)
    #expect(requests(&one, at: .seconds(11)).count == 1)
    one.finished(call: 0, isLost: false, at: .seconds(11))
    #expect(one.nextDue == .seconds(11))
  }

  @Test func markersAreNumberedAndCarryTheIntendedTime() {
    var one = workload(.constant(perSecond: 1), client: 9)
    let made = requests(&one, at: .seconds(10))
    #expect(made.map { $0.marker?.sequence } == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(made.allSatisfy { $0.marker?.sent == $0.intended && $0.marker?.client == ClientID(9) })
    #expect(made.allSatisfy { String(decoding: $0.arguments, as: UTF8.self).contains($0.marker?.description ?? "?") })
  }

  @Test func oneClientsTimesAreItsOwn() {
    var a = workload(.poisson(perSecond: 1), client: 1)
    var again = workload(.poisson(perSecond: 1), client: 1)
    var b = workload(.poisson(perSecond: 1), client: 2)
    let times = requests(&a, at: .seconds(100)).map(\.intended)
    #expect(times == requests(&again, at: .seconds(100)).map(\.intended))
    #expect(times != requests(&b, at: .seconds(100)).map(\.intended))
  }
}
