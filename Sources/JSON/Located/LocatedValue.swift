/// A value of a file that a person wrote, knowing where it stands, so that every mistake can be shown in its place.
public struct LocatedValue: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case null
    case bool(Bool)
    /// Its value, finite, and how it was written (`0x1F`, `+.5`).
    case number(Double, raw: String)
    case string(String)
    case array([LocatedValue])
    /// In the order written. The reader reports duplicate keys and keeps the first.
    case object([LocatedMember])
    /// Something stood here that could not be read; it was reported, so decoders say no more about it.
    case invalid
  }

  /// Where the value starts.
  public var location: SourceLocation
  public var kind: Kind

  public init(_ kind: Kind, at location: SourceLocation) {
    self.kind = kind
    self.location = location
  }
}

/// A member of an object in a file, knowing where its key stands.
public struct LocatedMember: Hashable, Sendable {
  public var key: String
  public var keyLocation: SourceLocation
  public var value: LocatedValue

  public init(key: String, keyLocation: SourceLocation, value: LocatedValue) {
    self.key = key
    self.keyLocation = keyLocation
    self.value = value
  }
}

extension LocatedValue {
  /// The members of an object, in the order written; nil for other values.
  public var members: [LocatedMember]? { if case .object(let members) = kind { members } else { nil } }
  /// The elements of an array; nil for other values.
  public var elements: [LocatedValue]? { if case .array(let elements) = kind { elements } else { nil } }
  /// The text of a string; nil for other values.
  public var string: String? { if case .string(let text) = kind { text } else { nil } }

  /// The value of an object's member; nil for other values and absent keys.
  public subscript(key: String) -> LocatedValue? {
    members?.first { ExactKey.same($0.key, key) }?.value
  }

  /// A number that is whole and fits; `0x10` and `2.0` count.
  public var integer: Int64? {
    guard case .number(let number, let raw) = kind else { return nil }
    return LocatedNumber.integer(raw) ?? Int64(exactly: number)
  }

  /// The value without its places. What could not be read becomes null.
  public var json: JSONValue {
    switch kind {
    case .null, .invalid: .null
    case .bool(let flag): .bool(flag)
    case .number(let number, let raw): LocatedNumber.integer(raw).map { .integer($0) } ?? .number(number)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.json))
    case .object(let members): .object(JSONObject(members.map { ($0.key, $0.value.json) }))
    }
  }

  /// The value and all within it moved to one place, such as that of the argument it came from.
  public func relocated(to location: SourceLocation) -> LocatedValue {
    switch kind {
    case .array(let elements): LocatedValue(.array(elements.map { $0.relocated(to: location) }), at: location)
    case .object(let members):
      LocatedValue(
        .object(
          members.map {
            LocatedMember(key: $0.key, keyLocation: location, value: $0.value.relocated(to: location))
          }), at: location)
    default: LocatedValue(kind, at: location)
    }
  }

  /// What the value is, for messages: `the number 5`, `the string "ten"`, `an array`.
  public var summary: String {
    switch kind {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .number(_, let raw): "the number \(Excerpt.of(raw))"
    case .string(let text): "the string \(Excerpt.quoted(text))"
    case .array: "an array"
    case .object: "an object"
    case .invalid: "something that could not be read"
    }
  }
}

/// Cuts text from a file down to what a message can hold.
enum Excerpt {
  private static let longest = 40

  static func of(_ text: some StringProtocol) -> String {
    let start = text.unicodeScalars.prefix(longest)
    let whole = start.endIndex == text.unicodeScalars.endIndex
    var out = ""
    for scalar in start { out.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar) }
    return whole ? out : out + "…"
  }

  static func quoted(_ text: some StringProtocol) -> String { "\"\(of(text))\"" }
}
