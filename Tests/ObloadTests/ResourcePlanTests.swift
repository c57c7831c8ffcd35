import Testing

@testable import obload

@Suite struct ResourcePlanTests {
  private func plan(clients: Int, isEmbedded: Bool = true, isVirtual: Bool = false, limit: Int = 20_000) -> ResourcePlan
  {
    ResourcePlan(clients: clients, isEmbedded: isEmbedded, isVirtual: isVirtual, loops: 2, descriptorLimit: limit)
  }

  @Test func aClientTakesThreeDescriptorsAndFourWithAnEmbeddedServer() {
    #expect(plan(clients: 1000).descriptors == 4064)
    #expect(plan(clients: 1000, isEmbedded: false).descriptors == 3064)
    #expect(plan(clients: 1000, isVirtual: true).problems.isEmpty)
  }

  @Test func withoutTheProxyItTakesTwoFewer() {
    var direct = plan(clients: 1000)
    direct.isDirect = true
    #expect(direct.descriptors == 2064)
    direct.isEmbedded = false
    #expect(direct.descriptors == 1064)
  }

  @Test func whatDoesNotFitIsRefusedWithTheArithmeticAndTheMend() throws {
    #expect(plan(clients: 4_900).problems.isEmpty)
    let problem = try #require(plan(clients: 5_000).problems.first)
    #expect(problem.contains("5000 × 4 + 64"))
    #expect(problem.contains("run at most 4984 clients"))
  }

  @Test func memoryIsComparedWithWhatIsToBeHad() throws {
    var plan = plan(clients: 4_000)
    plan.availableMemory = 1 << 30
    #expect(plan.problems.isEmpty)
    plan.availableMemory = 32 << 20
    #expect(try #require(plan.problems.first).contains("32 MiB are to be had"))
  }

  @Test func portsTowardsATargetAreCountedToo() {
    #expect(plan(clients: 30_000, isEmbedded: false, limit: 1 << 20).problems.count == 1)
    #expect(plan(clients: 30_000, isEmbedded: true, limit: 1 << 20).problems.count == 1)
  }
}
