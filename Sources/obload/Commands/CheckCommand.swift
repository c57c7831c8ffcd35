import Core
import FaultProxy
import JSON

/// `obload check`: every mistake of a scenario at once, and what a run of it needs.
enum CheckCommand: Command {
  static let spec = CommandSpec(
    name: "check", summary: "Check a scenario: every mistake with line and column, and what a run needs.",
    arguments: ["SCENARIO"],
    options: ScenarioOptions.specs + [
      OptionSpec("--virtual", nil, "check for a run in virtual time"),
      OptionSpec("--json", nil, "print the result as JSON"),
    ],
    examples: ["obload check scenarios/quickstart.json5", "obload check big.json5 --clients 5000 --json"])

  static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
    let file = try ScenarioFile.read(arguments.positionals[0], try ScenarioOptions.changes(arguments))
    let diagnostics = file.diagnostics
    let options = RunOptions(isVirtual: arguments.has("--virtual"))
    let plan = diagnostics.hasErrors ? nil : ResourcePlan(file.scenario, options)
    let problems = plan?.problems ?? []
    let isRight = !diagnostics.hasErrors && problems.isEmpty
    if arguments.has("--json") {
      Output.print(json(file, plan, isRight).prettyText())
    } else {
      if !diagnostics.isEmpty { Output.error(diagnostics.rendered(file: file.path)) }
      for problem in problems { Output.error("\(file.path): \(problem)") }
      if isRight, let plan { Output.print(text(file, plan)) }
    }
    return isRight ? .passed : .usage
  }

  private static func text(_ file: ScenarioFile, _ plan: ResourcePlan) -> String {
    let scenario = file.scenario
    let parts = [
      "\(Columns.plural(scenario.clients, "client")) in \(Columns.plural(scenario.fleets.count, "fleet"))",
      Columns.plural(scenario.faults.entries.count, "fault"), Columns.plural(scenario.budgets.count, "budget"),
      Columns.plural(scenario.clauses.require.count, "required clause"),
    ]
    let head = "\(file.path): right: " + parts.joined(separator: ", ")
    return ([head] + plan.lines.map { "  " + $0 }).joined(separator: "\n")
  }

  private static func json(_ file: ScenarioFile, _ plan: ResourcePlan?, _ isRight: Bool) -> JSONValue {
    let needs: JSONValue? = plan.map {
      [
        "clients": .integer(Int64($0.clients)), "descriptors": .integer(Int64($0.descriptors)),
        "descriptorLimit": .integer(Int64($0.descriptorLimit)), "memoryBytes": .integer(Int64($0.memory)),
        "loops": .integer(Int64($0.loops)),
      ]
    }
    return [
      "file": .string(file.path), "right": .bool(isRight), "mistakes": file.diagnostics.json(file: file.path),
      "problems": .array((plan?.problems ?? []).map { .string($0) }), "needs": needs ?? .null,
    ]
  }
}

extension ResourcePlan {
  init(_ scenario: Scenario, _ options: RunOptions) {
    self.init(
      clients: scenario.clients, isEmbedded: scenario.target.isEmbedded, isVirtual: options.isVirtual,
      isDirect: options.isDirect, loops: LoopPlan.loopCount(options, isEmbedded: scenario.target.isEmbedded),
      descriptorLimit: ResourcePlan.raiseDescriptorLimit(), availableMemory: Machine.availableMemory)
  }
}
