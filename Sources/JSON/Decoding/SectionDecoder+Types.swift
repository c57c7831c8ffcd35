import Core

/// Plain values. Each reports a value of the wrong type or out of range, and a missing one if required.
extension SectionDecoder {
  public func string(_ key: String, required: Bool = false) -> String? {
    decode(key, required: required, expected: "a string in quotes") { $0.string }
  }

  /// A string that is one of `choices`; a misspelt one gets a suggestion.
  public func string(_ key: String, oneOf choices: [String], required: Bool = false) -> String? {
    let list = choices.map { "\"\($0)\"" }.joined(separator: ", ")
    return decode(
      key, required: required, expected: choices.count == 1 ? list : "one of \(list)",
      suggestion: { $0.string.flatMap { Suggestion.nearest(to: $0, among: choices) } },
      { found in found.string.flatMap { choices.contains($0) ? $0 : nil } })
  }

  /// A string that is the raw value of one of the enum's cases.
  public func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ key: String, as type: Choice.Type = Choice.self, required: Bool = false
  ) -> Choice? {
    string(key, oneOf: Choice.allCases.map(\.rawValue), required: required).flatMap(Choice.init(rawValue:))
  }

  public func bool(_ key: String, required: Bool = false) -> Bool? {
    decode(
      key, required: required, expected: "true or false",
      suggestion: { found in ["true", "false"].first { $0 == found.string?.lowercased() } },
      { if case .bool(let flag) = $0.kind { flag } else { nil } })
  }

  /// A whole number within the range.
  public func integer(_ key: String, in range: ClosedRange<Int> = Int.min...Int.max, required: Bool = false) -> Int? {
    decode(key, required: required, expected: "a whole number" + Self.bounds(range, none: (.min, .max)) { "\($0)" }) {
      $0.integer.map { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A number within the range.
  public func number(
    _ key: String, in range: ClosedRange<Double> = -Double.infinity...Double.infinity, required: Bool = false
  ) -> Double? {
    let bounds = Self.bounds(range, none: (-.infinity, .infinity)) { Int64(exactly: $0).map { "\($0)" } ?? "\($0)" }
    return decode(key, required: required, expected: "a number" + bounds) {
      if case .number(let number, _) = $0.kind, range.contains(number) { number } else { nil }
    }
  }

  /// The elements of an array; `in` limits how many there may be.
  public func array(_ key: String, in range: ClosedRange<Int> = 0...Int.max, required: Bool = false) -> [LocatedValue]?
  {
    let bounds = Self.bounds(range, none: (0, .max)) { "\($0)" }
    return decode(key, required: required, expected: "an array [ … ]" + (bounds.isEmpty ? "" : " of length" + bounds)) {
      $0.elements.flatMap { range.contains($0.count) ? $0 : nil }
    }
  }

  /// An array of strings; elements that are not are reported and left out.
  public func strings(_ key: String, required: Bool = false) -> [String]? {
    array(key, required: required)?.compactMap { element in
      if let text = element.string { return text }
      if element.kind != .invalid {
        diagnostics.error(
          at: element.location, "\"\(key)\" of \(what) cannot hold \(element.summary)", expected: "strings in quotes")
      }
      return nil
    }
  }

  /// A value that is an object.
  public func object(_ key: String, required: Bool = false) -> LocatedValue? {
    decode(key, required: required, expected: "an object { … }") { $0.members == nil ? nil : $0 }
  }

  /// A decoder for an object within this one; `finish()` it apart.
  public func section(_ key: String, what: String, required: Bool = false) -> SectionDecoder? {
    object(key, required: required).map { SectionDecoder($0, what: what, diagnostics: diagnostics) }
  }

  /// Decoders for an array of objects; elements that are no objects are reported and left out.
  public func sections(_ key: String, what: String, required: Bool = false) -> [SectionDecoder] {
    (array(key, required: required) ?? []).compactMap { element in
      let decoder = SectionDecoder(element, what: what, diagnostics: diagnostics)
      return element.members == nil ? nil : decoder
    }
  }

  /// ` from 1 to 5`, ` of at least 1`, ` of at most 5`, or nothing.
  static func bounds<T: Comparable>(_ range: ClosedRange<T>, none: (T, T), _ text: (T) -> String) -> String {
    switch (range.lowerBound > none.0, range.upperBound < none.1) {
    case (true, true): " from \(text(range.lowerBound)) to \(text(range.upperBound))"
    case (true, false): " of at least \(text(range.lowerBound))"
    case (false, true): " of at most \(text(range.upperBound))"
    case (false, false): ""
    }
  }
}
