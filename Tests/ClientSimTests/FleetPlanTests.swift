import Core
import JSON
import Protocols
import Testing

@testable import ClientSim

struct FleetPlanTests {
  func decode(
    _ text: String, _ options: FleetDecoding = FleetDecoding(protocolName: .onebase)
  ) -> (plans: [FleetPlan], mistakes: [Diagnostic]) {
    let (value, diagnostics) = LocatedJSON.read(text)
    return (FleetPlan.decode(value, options, diagnostics: diagnostics), diagnostics.all)
  }

  @Test func fleetsAreNumberedOneAfterAnother() {
    let (plans, mistakes) = decode(
      """
      [{ name: "readers", clients: 45, ramp: "9s", subscribe: [{ path: "notes:list", args: { room: "{client % 5}" } }] },
       { name: "writers", clients: 15, ping: "50s", deadPing: "ignore", cache: 3, outbox: 7, offline: true,
         connectTimeout: "2s", behave: ["no-heartbeat"],
         subscribe: [{ path: "notes:list", args: { room: "x" },
                       audit: { path: "notes:scan", args: { room: "x" }, paged: true } }],
         calls: [{ kind: "mutation", path: "notes:add", args: { room: "x", text: "{marker}" }, rate: "2/s",
                   arrivals: "poisson", start: "1s", deadline: "3s" },
                 { kind: "query", path: "me:get", loop: { think: "2s" } }] }]
      """)
    #expect(mistakes.map(\.message) == [])
    #expect(plans.map(\.numbers) == [0..<45, 45..<60])
    #expect(plans[0].start(of: ClientID(5)) == .seconds(1))
    #expect(plans[1].label(of: ClientID(46)) == "writers-1")
    let writers = plans[1]
    #expect(writers.ping == .seconds(50) && writers.deadPing == .ignore && writers.startsOffline)
    #expect(writers.cacheLimit == 3 && writers.outboxLimit == 7 && writers.connectTimeout == .seconds(2))
    #expect(writers.behave == [.noHeartbeat])
    #expect(writers.subscriptions[0].audit?.paged == true)
    #expect(writers.calls.map(\.pace) == [.poisson(perSecond: 2), .loop(think: .seconds(2))])
    #expect(writers.calls[0].seenBy.count == 1 && writers.calls[1].seenBy.isEmpty)
    #expect(writers.calls[0].start == .seconds(1) && writers.calls[0].deadline == .seconds(3))
  }

  @Test func everyMistakeIsReportedInItsPlace() {
    let (_, mistakes) = decode(
      """
      [{ name: "a", clients: -1 },
       { name: "a", clients: 1, remp: "1s" },
       { name: "all", clients: 1, behave: ["no-jiter", "two-sockets"] },
       { name: "c", clients: 1, token: "s3cret",
         subscribe: [{ path: "p:q", args: { t: "{marker}" } }] },
       { name: "d", clients: 1, calls: [{ kind: "mutation", path: "notes:add", rate: 3, args: { text: "{marker}" },
           seenBy: "p:r" }] }]
      """)
    let lines = mistakes.compactMap { $0.location?.line }
    #expect(Set(lines) == [1, 2, 3, 4, 5, 6, 7], "\(mistakes.map { $0.rendered(file: "s") })")
    #expect(mistakes.contains { $0.message.contains("remp") && $0.suggestion == "ramp" })
    #expect(mistakes.contains { $0.suggestion == "no-jitter" })
    #expect(mistakes.contains { $0.message == "\"two-sockets\" is not available yet" })
    #expect(mistakes.contains { $0.suggestion == "p:q" })
    // A secret that stands in the file is not repeated.
    #expect(!mistakes.contains { $0.rendered(file: "s").contains("s3cret") })
  }

  @Test func tokensComeFromTheEnvironmentOrForEmbeddedServersFromATemplate() {
    var options = FleetDecoding(protocolName: .onebase, environment: { $0 == "OB_TOKEN" ? "xyz" : nil })
    let named = decode("[{ name: 'a', clients: 1, token: { env: 'OB_TOKEN' } }]", options)
    #expect(named.mistakes.isEmpty && named.plans[0].token.token(of: ClientID(0), seed: 1) == "xyz")
    #expect(!"\(named.plans[0].token)".contains("xyz"))
    #expect(decode("[{ name: 'a', clients: 1, token: { env: 'NONE' } }]", options).mistakes.count == 1)
    options.allowsLiteralTokens = true
    let literal = decode("[{ name: 'a', clients: 2, token: 'ok-{client}' }]", options)
    #expect(literal.mistakes.isEmpty && literal.plans[0].token.token(of: ClientID(1), seed: 1) == "ok-1")
  }

  @Test func anEchoFleetHasCallsOfASize() {
    let echo = FleetDecoding(protocolName: .echo)
    let (plans, mistakes) = decode("[{ name: 'a', clients: 1, calls: [{ rate: '10/s', size: '64B' }] }]", echo)
    #expect(mistakes.isEmpty && plans[0].calls[0].size == 64 && plans[0].calls[0].arguments.hasMarker)
    #expect(!decode("[{ name: 'a', clients: 1, subscribe: [{ path: 'x:y' }] }]", echo).mistakes.isEmpty)
  }

  @Test func timelineEventsNameFleets() {
    let plans = decode("[{ name: 'a', clients: 1 }, { name: 'b', clients: 1 }]").plans
    let (value, diagnostics) = LocatedJSON.read(
      "[{ at: '9s', online: 'all' }, { at: '3s', restart: 'b' }, { at: '99s', restart: 'c' }, { at: '1s' }]")
    let events = ClientEvent.decode(value, fleets: plans, duration: .seconds(10), diagnostics: diagnostics)
    #expect(
      events == [
        ClientEvent(at: .seconds(3), kind: .restart, fleet: 1), ClientEvent(at: .seconds(9), kind: .online, fleet: nil),
      ])
    #expect(diagnostics.count == 3)
  }
}
