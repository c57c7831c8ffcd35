import ClientSim
import Core
import FaultProxy
import JSON
import Judge
import Network
import Reporting

/// `obload run`: carries a scenario out and says whether the system held.
enum RunCommand: Command {
  static let spec = CommandSpec(
    name: "run", summary: "Run a scenario: clients, faults, budgets, clauses, verdict.", arguments: ["SCENARIO"],
    options: ScenarioOptions.specs + [
      OptionSpec("--virtual", nil, "run in virtual time, over an in-memory network, with an embedded server"),
      OptionSpec("--out", "DIR", "write the report here instead of reports/SCENARIO-TIME"),
      OptionSpec("--strict", nil, "let violations of a SHOULD fail the run"),
      OptionSpec("--no-judge", nil, "measure only: read no frames, judge no clauses"),
      OptionSpec(
        "--direct", nil, "measure only: no proxy; for scenarios without faults and required clauses"),
      OptionSpec("--loops", "N", "event loops for clients and proxies"),
      OptionSpec("--quiet", nil, "print only the verdict and what failed"),
    ],
    examples: [
      "obload run scenarios/quickstart.json5",
      "obload run scenarios/reconnect-storm.json5 --virtual --clients 1000 --duration 10m",
      "obload run first.json5 --url ws://127.0.0.1:4000/api/sync --budget 'call p99 < 50ms'",
    ])

  static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
    var file = try ScenarioFile.read(arguments.positionals[0], try ScenarioOptions.changes(arguments))
    var options = RunOptions()
    options.isVirtual = arguments.has("--virtual")
    options.isDirect = arguments.has("--direct")
    options.isJudged = !options.isDirect && !arguments.has("--no-judge")
    options.loops = try arguments.integer("--loops", in: 1...64)
    file.scenario.clauses.options.strict = arguments.has("--strict")
    if file.diagnostics.hasErrors {
      Output.error(file.diagnostics.rendered(file: file.path))
      Output.error("\(file.path): nothing was run")
      return .usage
    }
    if options.isVirtual, !file.scenario.target.isEmbedded {
      throw UsageError(
        "--virtual needs an embedded server, since its network is in memory: leave out --url or --virtual")
    }
    if options.isVirtual, options.loops.map({ $0 > 1 }) ?? false { throw UsageError("--virtual runs on one loop") }
    if options.isDirect { try checkDirect(file.scenario) }
    if !file.diagnostics.isEmpty { Output.error(file.diagnostics.rendered(file: file.path)) }
    let problems = ResourcePlan(file.scenario, options).problems
    if !problems.isEmpty {
      for problem in problems { Output.error("\(file.path): \(problem)") }
      Output.error("\(file.path): nothing was run")
      return .usage
    }
    options.command = ScenarioOptions.command(arguments, seed: file.scenario.seed)
    return carryOut(file.scenario, options, arguments)
  }

  /// What the proxy would do cannot be asked for without it.
  static func checkDirect(_ scenario: Scenario) throws(UsageError) {
    if let fault = scenario.faults.entries.first {
      throw UsageError("--direct has no proxy for the fault \"\(fault.name)\": leave out the faults or --direct")
    }
    if let clause = scenario.clauses.require.first {
      throw UsageError("--direct has no proxy to judge \(clause) at: leave out clauses.require or --direct")
    }
  }

  private static func carryOut(_ scenario: Scenario, _ options: RunOptions, _ arguments: Arguments) -> ExitCode {
    let time = Machine.time()
    let isQuiet = arguments.has("--quiet")
    let display = LiveDisplay(isTerminal: Output.isErrorTerminal)
    var coordinator = RunCoordinator(scenario: scenario, options: options)
    coordinator.listensForSignals = true
    if !isQuiet, !options.isVirtual { coordinator.progress = { display.show($0) } }
    let clock = ContinuousClock()
    let began = clock.now
    let cpu = Machine.cpuSeconds
    var result: RunCoordinator.Result
    do {
      result = try coordinator.run()
    } catch {
      Output.error("obload: the run got stuck, which is a mistake in obload: \(error)")
      return .noVerdict
    }
    display.clear()
    let wallClock = WallClock(
      started: time.report, seconds: (clock.now - began).inSeconds, cpuSeconds: Machine.cpuSeconds - cpu,
      maxResidentBytes: Machine.maxResidentBytes)
    let reporter = RunReporter(scenario: scenario, options: options)
    let secrets = Secrets(of: scenario)
    var report = reporter.report(result, wallClock: wallClock)
    var directory: String? = arguments.value("--out") ?? RunReporter.freshDirectory(for: scenario.name, at: time.file)
    do throws(RunReporter.FileError) {
      try RunReporter.write(report, hiding: secrets, to: directory ?? ".")
    } catch {
      // A gate that lost its report must not pass.
      result.reasons.append(ExitReason(.noVerdict, "the report could not be written: \(error)"))
      report = reporter.report(result, wallClock: wallClock)
      directory = nil
    }
    let text = ReportText(report: report, style: Style(isColoured: Output.isTerminal), directory: directory)
    Output.print(secrets.hidden(isQuiet ? text.verdict : text.text), terminator: "")
    return report.exit
  }
}
