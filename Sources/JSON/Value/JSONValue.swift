/// A JSON value as a tree, for arguments, results and reports; the hot path uses `TopLevelScanner` instead.
///
/// Numbers compare by value (1 equals 1.0), strings byte by byte, objects whatever the order of their members.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// Written without fraction or exponent, and fits.
  case integer(Int64)
  /// Every other number. Not finite only if built so; then it is written as null.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue: Hashable {
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Int64(exactly: b) == a
    case (.string(let a), .string(let b)): ExactKey.same(a, b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag)
    case .integer(let whole): hasher.combine(whole)
    case .number(let number):
      if let whole = Int64(exactly: number) { hasher.combine(whole) } else { hasher.combine(number) }
    case .string(let text): hasher.combine(text)
    case .array(let elements): hasher.combine(elements)
    case .object(let object): hasher.combine(object)
    }
  }
}

extension JSONValue {
  /// The text of a string, else nil.
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  /// A number that is whole and fits, else nil; 2.0 counts as 2.
  public var integer: Int64? {
    switch self {
    case .integer(let whole): whole
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }
  /// Any number, else nil.
  public var double: Double? {
    switch self {
    case .integer(let whole): Double(whole)
    case .number(let number): number
    default: nil
    }
  }
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The member of an object; nil for other values and absent keys. Setting on another value makes it an object.
  public subscript(key: String) -> JSONValue? {
    get { object?[key] }
    set {
      var members = object ?? JSONObject()
      members[key] = newValue
      self = .object(members)
    }
  }

  /// The element of an array; nil for other values and beyond the end.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

extension JSONValue: CustomStringConvertible {
  public var description: String { text }
}
