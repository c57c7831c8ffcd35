import ClientSim
import Core
import FaultProxy
import JSON
import Judge
import Metrics
import Protocols

/// A whole scenario, checked: what `obload run` carries out.
struct Scenario {
  static let longest = Duration.seconds(24 * 3600)
  static let defaultSettle = Duration.seconds(30)

  var name: String
  var seed: UInt64
  /// Of the workload; settle and audit come after it.
  var duration: Duration
  var target: Target
  var fleets: [FleetPlan]
  var faults: FaultTimeline
  var clientEvents: [ClientEvent]
  var clauses: ClausePolicy
  var budgets: [Budget]
  /// How long the run waits at its end until everything wanted is live and quiet.
  var settle: Duration
  var windows: WindowTimeline

  /// What a person calls a client: `writers-17`.
  func label(of client: ClientID) -> String {
    fleets.first { $0.numbers.contains(client.number) }?.label(of: client) ?? client.description
  }

  var clients: Int { fleets.reduce(0) { $0 + $1.clients } }

  /// Decodes a scenario; each target decodes its own section. Everything wrong with it is reported, and what comes back
  /// may only be run when nothing was.
  static func decode(
    _ value: LocatedValue, allowHosts: [String] = [], environment: @escaping (String) -> String?,
    diagnostics: Diagnostics
  ) -> Scenario {
    let section = SectionDecoder(value, what: "a scenario", diagnostics: diagnostics)
    section.note("$schema")
    let name = section.string("name", required: true) ?? "scenario"
    if let bad = name.first(where: { !($0.isLetter || $0.isNumber || "-_.".contains($0)) }) {
      section.mistake(
        "name", "a scenario's name cannot hold \"\(bad)\", because it names files",
        expected: "letters, digits, \"-\", \"_\" and \".\"")
    } else if name.isEmpty || name.hasPrefix(".") || name.utf8.count > 100 {
      section.mistake("name", "\"\(name.prefix(40))\" cannot name files", expected: "1 to 100 characters, no dot first")
    }
    let seed = section.integer("seed", in: 0...Int(Int64.max)) ?? 1
    let duration =
      section.duration("duration", in: .milliseconds(100)...longest, required: true) ?? .seconds(10)
    let target = Target.decode(
      section.value("target", required: true, expected: "{ protocol: \"onebase\", embedded: {} } or a url"),
      extraHosts: allowHosts, environment: environment, diagnostics: diagnostics)
    let decoding = FleetDecoding(
      protocolName: target.protocolName, token: target.token, allowsLiteralTokens: target.isEmbedded,
      environment: environment)
    let fleets = FleetPlan.decode(
      section.value("fleets", required: true, expected: "an array of one or more fleets"), decoding,
      diagnostics: diagnostics)
    let faults = FaultTimeline.decode(
      section.value("faults"),
      fleets: fleets.map { FaultFleet(name: $0.name, first: $0.first, count: $0.clients) }, duration: duration,
      diagnostics: diagnostics)
    let events = ClientEvent.decode(
      section.value("timeline"), fleets: fleets, duration: duration, diagnostics: diagnostics)
    let windows = WindowTimeline(faults: faults, duration: duration)
    if faults.entries.count > WindowTimeline.mostFaults {
      section.mistake("faults", "\(faults.entries.count) faults", expected: "at most \(WindowTimeline.mostFaults)")
    }
    var clauses = ClausePolicy.decode(section.value("clauses"), target.protocolName, diagnostics: diagnostics)
    clauses.options.faultKinds = faults.judgedKinds
    let budgets = decodeBudgets(section.array("budgets") ?? [], windows, diagnostics)
    let settle = section.duration("settle", in: .zero...Duration.seconds(600)) ?? defaultSettle
    section.finish()
    return Scenario(
      name: name, seed: UInt64(seed), duration: duration, target: target, fleets: fleets, faults: faults,
      clientEvents: events, clauses: clauses, budgets: budgets, settle: settle, windows: windows)
  }

  private static func decodeBudgets(
    _ values: [LocatedValue], _ windows: WindowTimeline, _ diagnostics: Diagnostics
  ) -> [Budget] {
    values.compactMap { value in
      guard let text = value.string else {
        if value.kind != .invalid {
          diagnostics.error(
            at: value.location, "a budget cannot be \(value.summary)",
            expected: "text such as \"transition p99 < 250ms\"")
        }
        return nil
      }
      switch Budget.parse(text) {
      case .failure(let error):
        diagnostics.add(error.diagnostic(in: value, text))
        return nil
      case .success(let budget):
        for problem in budget.check(windows) { diagnostics.add(problem.diagnostic(in: value, text)) }
        return budget
      }
    }
  }
}

extension WindowTimeline {
  /// The windows that a timeline of faults makes.
  init(faults: FaultTimeline, duration: Duration) {
    self.init(
      faults: faults.windows.map { window in
        let length = window.for ?? max(duration - window.at, .zero)
        return Fault(name: window.name, at: .zero + window.at, length: length)
      }, duration: duration)
  }
}

extension BudgetError {
  /// The same as a mistake in the file: at the character of the budget's text that it is about.
  func diagnostic(in value: LocatedValue, _ text: String) -> Diagnostic {
    var place = value.location
    // The text begins after its quote; one with escapes in it is placed as if it had none.
    if place.origin == nil { place.column += 1 + offset }
    return Diagnostic(at: place, "budget \"\(text)\": \(message)", expected: expected, suggestion: suggestion)
  }
}
