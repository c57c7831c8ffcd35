/// One option of a command, as help prints it and the parser accepts it.
struct OptionSpec {
  /// With its dashes, as in `--seed`.
  var name: String
  /// What stands for the value in help (`N`, `DIR`); nil for a flag.
  var value: String?
  var help: String
  var repeatable = false

  init(_ name: String, _ value: String?, _ help: String, repeatable: Bool = false) {
    self.name = name
    self.value = value
    self.help = help
    self.repeatable = repeatable
  }
}

/// One command: its words, and what its help says.
struct CommandSpec {
  var name: String
  var summary: String
  /// Names of the arguments it needs, in order; one in brackets may be left out.
  var arguments: [String] = []
  var options: [OptionSpec] = []
  /// Shown after the options.
  var examples: [String] = []

  var usage: String {
    (["usage: obload", name] + arguments + (options.isEmpty ? [] : ["[options]"])).joined(separator: " ")
  }

  /// The whole help text.
  var help: String {
    var lines = [usage, "", summary]
    if !options.isEmpty {
      lines += ["", "options:"]
      let heads = options.map { option in option.name + (option.value.map { " " + $0 } ?? "") }
      let width = (heads.map(\.count).max() ?? 0) + 2
      for (head, option) in zip(heads, options) {
        let more = option.repeatable ? " (may be repeated)" : ""
        lines.append("  " + head + String(repeating: " ", count: width - head.count) + option.help + more)
      }
    }
    if !examples.isEmpty { lines += ["", "examples:"] + examples.map { "  " + $0 } }
    return lines.joined(separator: "\n")
  }
}
