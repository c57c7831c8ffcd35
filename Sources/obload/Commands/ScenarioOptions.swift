/// The options that change a scenario, shared by `run` and `check`.
enum ScenarioOptions {
  static let specs = [
    OptionSpec("--url", "URL", "run against this server instead of the scenario's target"),
    OptionSpec("--clients", "N", "change the fleets' sizes in proportion, to N clients in all"),
    OptionSpec("--duration", "TIME", "how long the workload lasts, such as 30s or 10m"),
    OptionSpec("--seed", "N", "the seed that everything random comes from"),
    OptionSpec("--budget", "TEXT", "one more budget", repeatable: true),
    OptionSpec("--set", "KEY=VALUE", "change a value, such as fleets[readers].ramp=2s", repeatable: true),
    OptionSpec("--allow-host", "HOST", "allow a target that is not this machine", repeatable: true),
  ]

  static func changes(_ arguments: Arguments) throws(UsageError) -> ScenarioFile.Changes {
    var changes = ScenarioFile.Changes()
    changes.url = arguments.value("--url")
    changes.clients = try arguments.integer("--clients", in: 1...1_000_000)
    changes.duration = try arguments.duration("--duration") == nil ? nil : arguments.value("--duration")
    changes.seed = try arguments.integer("--seed", in: 0...Int.max).map { UInt64($0) }
    changes.budgets = arguments.all("--budget")
    changes.settings = arguments.all("--set")
    changes.allowHosts = arguments.all("--allow-host")
    return changes
  }

  /// The words that run the scenario again, with what was changed; the seed always among them.
  static func command(_ arguments: Arguments, seed: UInt64) -> String {
    var words = ["obload", "run", arguments.positionals[0], "--seed", String(seed)]
    for option in specs where option.name != "--seed" {
      for value in arguments.all(option.name) { words += [option.name, quoted(value)] }
    }
    if let loops = arguments.value("--loops") { words += ["--loops", loops] }
    words += ["--virtual", "--strict", "--no-judge"].filter(arguments.has)
    return words.joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=%,@+".contains($0) }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
