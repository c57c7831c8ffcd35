import Core

/// A command line that cannot be understood (exit 2): what is wrong, and what was expected.
struct UsageError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// The arguments of one command, taken apart by its `CommandSpec`.
struct Arguments {
  private(set) var positionals: [String] = []
  private var values: [String: [String]] = [:]

  /// Understands `--name value`, `--name=value` and flags; `--` ends the options.
  init(_ words: some Collection<String>, for spec: CommandSpec) throws(UsageError) {
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        positionals += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        positionals.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = spec.options.first(where: { $0.name == parts[0] }) else {
        throw UsageError(Self.unknown(parts[0], spec))
      }
      try add(option, inline: parts.count == 2 ? parts[1] : nil, rest: &rest)
    }
    let needed = spec.arguments.filter { !$0.hasPrefix("[") }
    if positionals.count < needed.count {
      throw UsageError("obload \(spec.name) needs \(needed[positionals.count]); \(spec.usage)")
    }
    if positionals.count > spec.arguments.count {
      throw UsageError("unexpected argument \"\(positionals[spec.arguments.count])\"; \(spec.usage)")
    }
  }

  private mutating func add(_ option: OptionSpec, inline: String?, rest: inout ArraySlice<String>) throws(UsageError) {
    guard option.value != nil else {
      if inline != nil { throw UsageError("\(option.name) takes no value") }
      values[option.name] = [""]
      return
    }
    guard let value = inline ?? rest.popFirst() else {
      throw UsageError("\(option.name) needs a value: \(option.name) \(option.value ?? "")")
    }
    if values[option.name] != nil && !option.repeatable {
      throw UsageError("\(option.name) is given twice")
    }
    values[option.name, default: []].append(value)
  }

  private static func unknown(_ name: String, _ spec: CommandSpec) -> String {
    let nearest = Suggestion.nearest(to: name, among: spec.options.map(\.name))
    let hint = nearest.map { "; did you mean \($0)?" } ?? "; see obload \(spec.name) --help"
    return "unknown option \(name)\(hint)"
  }

  func has(_ option: String) -> Bool { values[option] != nil }
  func value(_ option: String) -> String? { values[option]?.last }
  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// A whole number within the range.
  func integer(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError("\(option) \"\(text)\": expected a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A duration with its unit, more than zero.
  func duration(_ option: String) throws(UsageError) -> Duration? {
    guard let text = value(option) else { return nil }
    guard let duration = Quantity.duration(text), duration > .zero else {
      throw UsageError("\(option) \"\(text)\": expected \(Quantity.expectedDuration)")
    }
    return duration
  }
}
