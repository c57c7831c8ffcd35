import Core

extension LocatedValue {
  /// The value with the one at `path` replaced or added, for `--set`.
  ///
  /// A path is keys with dots between: `target.url`. An array's element is picked by number, `fleets.0.clients` or
  /// `fleets[0].clients`, or by its `name`, `fleets[readers].clients`. Keys that are not there are added; elements are
  /// not, but for the one just past an array's end.
  /// - Throws: what about the path is wrong, in the place of what it was applied to.
  public func setting(path: String, to value: LocatedValue) throws(Diagnostic) -> LocatedValue {
    let steps = try PathStep.parse(path, at: value.location)
    return try setting(steps[...], path: path, to: value)
  }

  /// The value with an assignment applied, as it is given to `--set`: `fleets[readers].clients=20`. The text after
  /// `=` is JSON5 if it reads as that, else a string. Later mistakes about it name the assignment, not the file.
  public func applying(assignment: String, option: String = "--set") throws(Diagnostic) -> LocatedValue {
    let origin = SourceLocation.outside("\(option) \(assignment)")
    guard let equals = assignment.firstIndex(of: "=") else {
      throw Diagnostic(at: origin, "there is no \"=\"", expected: "key.path=value")
    }
    let value = LocatedJSON.argument(String(assignment[assignment.index(after: equals)...]), at: origin)
    do { return try setting(path: String(assignment[..<equals]), to: value) } catch {
      var error = error
      error.location = origin
      throw error
    }
  }

  private func setting(_ steps: ArraySlice<PathStep>, path: String, to new: LocatedValue) throws(Diagnostic)
    -> LocatedValue
  {
    guard let step = steps.first else { return new }
    switch kind {
    case .object(var members):
      guard case .key(let key) = step else {
        throw wrong(path, "\(step) picks an element of an array, and there is an object", expected: "a key after a dot")
      }
      if let place = members.firstIndex(where: { ExactKey.same($0.key, key) }) {
        members[place].value = try members[place].value.setting(steps.dropFirst(), path: path, to: new)
      } else {
        let value = try LocatedValue(.object([]), at: new.location).setting(steps.dropFirst(), path: path, to: new)
        members.append(LocatedMember(key: key, keyLocation: new.location, value: value))
      }
      return LocatedValue(.object(members), at: location)
    case .array(var elements):
      let place = try place(of: step, in: elements, path: path)
      if place == elements.count { elements.append(LocatedValue(.object([]), at: new.location)) }
      elements[place] = try elements[place].setting(steps.dropFirst(), path: path, to: new)
      return LocatedValue(.array(elements), at: location)
    default:
      throw wrong(
        path, "there is \(summary) where \(step) should be looked up", expected: "an object or an array there")
    }
  }

  private func place(of step: PathStep, in elements: [LocatedValue], path: String) throws(Diagnostic) -> Int {
    if let number = step.number {
      guard number <= elements.count else {
        throw wrong(path, "there is no element \(number)", expected: "0 to \(elements.count)")
      }
      return number
    }
    if let place = elements.firstIndex(where: { $0["name"]?.string == step.text }) { return place }
    let names = elements.compactMap { $0["name"]?.string }
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    throw wrong(
      path, "no element has the name \(Excerpt.quoted(step.text))",
      expected: names.isEmpty ? "a number from 0 to \(elements.count)" : "a number, or one of \(list)",
      suggestion: Suggestion.nearest(to: step.text, among: names))
  }

  private func wrong(_ path: String, _ message: String, expected: String, suggestion: String? = nil) -> Diagnostic {
    Diagnostic(
      at: location, "the path \(Excerpt.quoted(path)) leads nowhere: \(message)", expected: expected,
      suggestion: suggestion)
  }
}

/// One step of a path: `.key` or `[element]`.
private enum PathStep: CustomStringConvertible {
  case key(String)
  case element(String)

  var text: String {
    switch self {
    case .key(let text), .element(let text): text
    }
  }

  /// The element's number, if it is one.
  var number: Int? { text.utf8.allSatisfy { $0 &- 0x30 < 10 } ? Int(text) : nil }

  var description: String {
    switch self {
    case .key(let key): Excerpt.quoted(key)
    case .element(let element): "[\(Excerpt.of(element))]"
    }
  }

  static func parse(_ path: String, at location: SourceLocation) throws(Diagnostic) -> [PathStep] {
    var steps: [PathStep] = []
    var rest = path[...]
    while true {
      let key = rest.prefix { $0 != "." && $0 != "[" }
      rest = rest[key.endIndex...]
      guard !key.isEmpty else { throw malformed(path, location) }
      steps.append(.key(String(key)))
      while rest.first == "[" {
        let element = rest.dropFirst().prefix { $0 != "]" }
        rest = rest[element.endIndex...]
        guard !element.isEmpty, rest.first == "]" else { throw malformed(path, location) }
        steps.append(.element(String(element)))
        rest = rest.dropFirst()
      }
      if rest.isEmpty { break }
      guard rest.first == "." else { throw malformed(path, location) }
      rest = rest.dropFirst()
    }
    guard steps.count <= JSONLimits.default.depth else { throw malformed(path, location) }
    return steps
  }

  private static func malformed(_ path: String, _ location: SourceLocation) -> Diagnostic {
    Diagnostic(
      at: location, "\(Excerpt.quoted(path)) is not a path",
      expected: "a path such as seed, target.url or fleets[readers].clients")
  }
}
