/// The members of a JSON object in the order written, with lookup by key.
///
/// Keys are told apart byte by byte, as JSON does, not by Unicode equivalence as Swift strings are.
/// Equality does not depend on the order of members.
public struct JSONObject: Sendable {
  public struct Member: Hashable, Sendable {
    public let key: String
    public var value: JSONValue
    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// In the order written; a key that was set twice keeps its first place and its last value.
  public private(set) var members: [Member] = []
  /// Made once the members are too many to look through, so that a hostile object costs no more than its size.
  private var index: [ExactKey: Int]?
  private static let indexedFrom = 16

  public init() {}

  /// A key that comes twice keeps its last value.
  public init(_ members: some Sequence<(String, JSONValue)>) {
    for (key, value) in members { self[key] = value }
  }

  public var count: Int { members.count }
  public var isEmpty: Bool { members.isEmpty }
  /// In the order written.
  public var keys: [String] { members.map(\.key) }

  /// Setting nil removes the member.
  public subscript(key: String) -> JSONValue? {
    get { position(of: key).map { members[$0].value } }
    set {
      switch (position(of: key), newValue) {
      case (let place?, let value?): members[place].value = value
      case (nil, let value?): append(key, value)
      case (let place?, nil):
        members.remove(at: place)
        index = nil
        indexIfLarge()
      case (nil, nil): break
      }
    }
  }

  private mutating func append(_ key: String, _ value: JSONValue) {
    members.append(Member(key: key, value: value))
    if index != nil { index?[ExactKey(key)] = members.count - 1 } else { indexIfLarge() }
  }

  private mutating func indexIfLarge() {
    guard members.count >= Self.indexedFrom else { return }
    var built: [ExactKey: Int] = [:]
    for (place, member) in members.enumerated() { built[ExactKey(member.key)] = place }
    index = built
  }

  private func position(of key: String) -> Int? {
    if let index { return index[ExactKey(key)] }
    return members.firstIndex { ExactKey.same($0.key, key) }
  }
}

extension JSONObject: Hashable {
  public static func == (a: JSONObject, b: JSONObject) -> Bool {
    a.count == b.count && a.members.allSatisfy { b[$0.key] == $0.value }
  }

  public func hash(into hasher: inout Hasher) {
    // A sum, so that the order of members does not matter.
    var sum = 0
    for member in members { sum &+= member.hashValue }
    hasher.combine(count)
    hasher.combine(sum)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}

/// A string that equals another only if their UTF-8 is the same.
struct ExactKey: Hashable {
  let text: String
  init(_ text: String) { self.text = text }

  static func == (a: ExactKey, b: ExactKey) -> Bool { same(a.text, b.text) }
  /// Strings with the same bytes are equivalent, so the hash of the string will do.
  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  static func same(_ a: String, _ b: String) -> Bool { a == b && a.utf8.elementsEqual(b.utf8) }
}
