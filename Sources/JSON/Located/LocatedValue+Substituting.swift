import Core

extension LocatedValue {
  /// The value with `${NAME}` in its strings replaced from `environment`; keys stay as they are.
  ///
  /// `$${` stands for a `${` that is meant. A name that is not set, and `${` without a name and `}`, are reported at
  /// the string they stand in.
  public func substituting(environment: [String: String], diagnostics: Diagnostics) -> LocatedValue {
    switch kind {
    case .string(let text):
      guard text.utf8.contains(UInt8(ascii: "$")) else { return self }
      let replaced = Substitution(environment: environment, diagnostics: diagnostics, location: location).apply(text)
      return LocatedValue(replaced.map { .string($0) } ?? .invalid, at: location)
    case .array(let elements):
      return LocatedValue(
        .array(elements.map { $0.substituting(environment: environment, diagnostics: diagnostics) }), at: location)
    case .object(let members):
      return LocatedValue(
        .object(
          members.map { member in
            var member = member
            member.value = member.value.substituting(environment: environment, diagnostics: diagnostics)
            return member
          }), at: location)
    default: return self
    }
  }
}

/// Replaces `${NAME}` in one string.
private struct Substitution {
  let environment: [String: String]
  let diagnostics: Diagnostics
  let location: SourceLocation

  /// Nil after a mistake.
  func apply(_ text: String) -> String? {
    var out = ""
    var rest = text[...]
    var isRight = true
    while let dollar = rest.firstIndex(of: "$") {
      out += rest[..<dollar]
      rest = rest[dollar...]
      if rest.hasPrefix("$${") {
        out += "${"
        rest = rest.dropFirst(3)
      } else if rest.hasPrefix("${") {
        let name = rest.dropFirst(2).prefix { $0 != "}" && $0 != "$" }
        guard isName(name), rest[name.endIndex...].first == "}" else {
          diagnostics.error(
            at: location, "\(Excerpt.quoted("${" + name)) is not a variable",
            expected: "${NAME} with letters, digits and _ (write $${ for a plain ${)")
          return nil
        }
        if let value = environment[String(name)] {
          out += value
        } else {
          isRight = false
          diagnostics.error(
            at: location, "the environment variable \(Excerpt.of(name)) is not set",
            expected: "it to be set where obload runs",
            suggestion: Suggestion.nearest(to: String(name), among: environment.keys.sorted()))
        }
        rest = rest[name.endIndex...].dropFirst()
      } else {
        out += "$"
        rest = rest.dropFirst()
      }
    }
    return isRight ? out + rest : nil
  }

  private func isName(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, first &- 0x30 >= 10 else { return false }
    return name.utf8.allSatisfy { $0 == 0x5F || $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 }
  }
}
