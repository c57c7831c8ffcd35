import Core

/// Decodes one object of a scenario file: typed access by key that reports every mistake in its place.
///
/// Ask for every key the section knows, then call `finish()`, which reports the keys nobody asked for. An accessor
/// answers nil if the key is absent or wrong; only the latter (or absence of a required key) is reported, so
/// `decoder.integer("clients", in: 1...100) ?? 10` reads a key with a default.
public final class SectionDecoder {
  /// The value being decoded.
  public let value: LocatedValue
  /// What the section is, with its article: `a fleet`.
  public let what: String
  public let diagnostics: Diagnostics
  private let members: [LocatedMember]
  private let places: [ExactKey: Int]
  private let isObject: Bool
  private var known: [String] = []
  private var isKnown: Set<ExactKey> = []

  /// Reports a value that is not an object; then every accessor answers nil in silence.
  public init(_ value: LocatedValue, what: String, diagnostics: Diagnostics) {
    self.value = value
    self.what = what
    self.diagnostics = diagnostics
    members = value.members ?? []
    isObject = value.members != nil
    var places: [ExactKey: Int] = [:]
    for (place, member) in members.enumerated() where places[ExactKey(member.key)] == nil {
      places[ExactKey(member.key)] = place
    }
    self.places = places
    if !isObject, value.kind != .invalid {
      diagnostics.error(at: value.location, "\(what) cannot be \(value.summary)", expected: "an object { … }")
    }
  }

  /// Where the section starts.
  public var location: SourceLocation { value.location }

  /// Where the value of `key` stands; the section's own place if it is absent.
  public func location(of key: String) -> SourceLocation { member(key)?.value.location ?? value.location }

  /// Whether the key is there, right or wrong. Notes it as known.
  public func has(_ key: String) -> Bool {
    note(key)
    return member(key) != nil
  }

  /// Notes keys as known that are read elsewhere.
  public func note(_ keys: String...) { for key in keys { note(key) } }

  /// The member as it is. Notes it as known.
  public func value(_ key: String, required: Bool = false, expected: String? = nil) -> LocatedValue? {
    note(key)
    guard let member = member(key) else {
      if required, isObject { diagnostics.error(at: value.location, "\(what) needs \"\(key)\"", expected: expected) }
      return nil
    }
    return member.value.kind == .invalid ? nil : member.value
  }

  /// Any value, as JSON without its places.
  public func json(_ key: String, required: Bool = false) -> JSONValue? { value(key, required: required)?.json }

  /// Reports that of `keys` more than one is there (at each after the first), or none if one is required.
  /// Answers the first that is there, in the order of `keys`.
  @discardableResult public func exclusive(_ keys: [String], required: Bool = false) -> String? {
    for key in keys { note(key) }
    let present = keys.filter { member($0) != nil }
    let list = keys.map { "\"\($0)\"" }.joined(separator: ", ")
    for key in present.dropFirst() {
      diagnostics.error(
        at: member(key)?.keyLocation, "\(what) cannot have \"\(key)\" beside \"\(present[0])\"",
        expected: "only one of \(list)")
    }
    if present.isEmpty, required, isObject {
      diagnostics.error(at: value.location, "\(what) lacks what it needs", expected: "one of \(list)")
    }
    return present.first
  }

  /// Reports that the value of `key` is wrong, at its place.
  public func mistake(_ key: String, _ message: String, expected: String? = nil, suggestion: String? = nil) {
    diagnostics.error(at: location(of: key), message, expected: expected, suggestion: suggestion)
  }

  /// Reports every key that nobody asked for, with the nearest known one.
  public func finish() {
    for member in members where !isKnown.contains(ExactKey(member.key)) {
      let list = known.map { "\"\($0)\"" }.joined(separator: ", ")
      diagnostics.error(
        at: member.keyLocation, "\(what) has no key \(Excerpt.quoted(member.key))",
        expected: known.isEmpty ? "no keys" : known.count == 1 ? list : "one of \(list)",
        suggestion: Suggestion.nearest(to: member.key, among: known.filter { self.member($0) == nil })
          ?? Suggestion.nearest(to: member.key, among: known))
    }
  }

  /// Reads `key` by `read`, and reports what it does not understand.
  func decode<T>(
    _ key: String, required: Bool, expected: String, suggestion: (LocatedValue) -> String? = { _ in nil },
    _ read: (LocatedValue) -> T?
  ) -> T? {
    guard let found = value(key, required: required, expected: expected) else { return nil }
    if let decoded = read(found) { return decoded }
    diagnostics.error(
      at: found.location, "\"\(key)\" of \(what) cannot be \(found.summary)", expected: expected,
      suggestion: suggestion(found))
    return nil
  }

  private func note(_ key: String) {
    if isKnown.insert(ExactKey(key)).inserted { known.append(key) }
  }

  private func member(_ key: String) -> LocatedMember? { places[ExactKey(key)].map { members[$0] } }
}
