import Core

/// One command of the program.
protocol Command {
  static var spec: CommandSpec { get }
  static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode
}

/// All commands of the program, in the order of its help.
enum Commands {
  static var all: [any Command.Type] {
    [RunCommand.self, CheckCommand.self, ClausesCommand.self, ProxyCommand.self, ServeCommand.self]
  }

  static var help: String {
    let width = (all.map { $0.spec.name.count }.max() ?? 0) + 3
    let lines = all.map { "  " + Columns.left($0.spec.name, width) + $0.spec.summary }
    let head = [
      "obload \(Version.text): load and chaos testing for realtime systems", "", "usage: obload COMMAND …", "",
      "commands:",
    ]
    let tail = [
      "", "obload COMMAND --help tells more.",
      "Exit codes: 0 held, 1 failed, 2 usage, 3 no verdict, 130 interrupted.",
    ]
    return (head + lines + tail).joined(separator: "\n")
  }

  /// Runs the command that the words name.
  static func run(_ words: [String]) -> ExitCode {
    guard let name = words.first else {
      Output.error(help)
      return .usage
    }
    if ["--help", "-h", "help"].contains(name) {
      Output.print(help)
      return .passed
    }
    if name == "--version" {
      Output.print("obload \(Version.text)")
      return .passed
    }
    guard let command = all.first(where: { $0.spec.name == name }) else {
      let names = all.map { $0.spec.name }
      let hint = Suggestion.nearest(to: name, among: names).map { "; did you mean \($0)?" }
      Output.error("obload: unknown command \"\(name)\"" + (hint ?? "; expected \(names.joined(separator: ", "))"))
      return .usage
    }
    let rest = words.dropFirst()
    if rest.contains("--help") || rest.contains("-h") {
      Output.print(command.spec.help)
      return .passed
    }
    do throws(UsageError) {
      return try command.run(try Arguments(rest, for: command.spec))
    } catch {
      Output.error("obload: \(error)")
      return .usage
    }
  }
}
