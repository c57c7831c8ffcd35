/// A strict parser of RFC 8259 text over bytes, recursive within the depth limit.
struct JSONParser {
  private let base: UnsafePointer<UInt8>
  private let count: Int
  private let deepest: Int
  private var at = 0
  private var depth = 0

  private init(base: UnsafePointer<UInt8>, count: Int, deepest: Int) {
    self.base = base
    self.count = count
    self.deepest = deepest
  }

  static func parse(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits) throws(JSONSyntaxError) -> JSONValue {
    guard bytes.count <= limits.bytes else {
      throw JSONSyntaxError(.tooLarge, at: limits.bytes, expected: "at most \(limits.bytes) bytes")
    }
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count > 0 else {
      throw JSONSyntaxError(.truncated, at: 0, expected: "a value")
    }
    var parser = JSONParser(base: start, count: bytes.count, deepest: min(limits.depth, JSONLimits.deepest))
    parser.skipSpace()
    let value = try parser.value()
    parser.skipSpace()
    guard parser.at == parser.count else { throw parser.unexpected("the end of the text") }
    return value
  }

  private func unexpected(_ expected: String) -> JSONSyntaxError {
    JSONSyntaxError(at < count ? .unexpected : .truncated, at: at, expected: expected)
  }

  private mutating func skipSpace() {
    while at < count {
      switch base[at] {
      case 0x20, 0x0A, 0x0D, 0x09: at += 1
      default: return
      }
    }
  }

  private mutating func value() throws(JSONSyntaxError) -> JSONValue {
    guard at < count else { throw unexpected("a value") }
    switch base[at] {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw unexpected("a value")
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
    for place in 0..<word.utf8CodeUnitCount {
      guard at < count, base[at] == word.utf8Start[place] else { throw unexpected("\"\(word)\"") }
      at += 1
    }
    return value
  }

  private mutating func enter() throws(JSONSyntaxError) {
    guard depth < deepest else { throw JSONSyntaxError(.tooDeep, at: at, expected: "at most \(deepest) levels") }
    depth += 1
    at += 1
    skipSpace()
  }

  private mutating func object() throws(JSONSyntaxError) -> JSONObject {
    try enter()
    var object = JSONObject()
    if take(UInt8(ascii: "}")) { return object }
    while true {
      guard at < count, base[at] == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
      let key = try string()
      skipSpace()
      guard at < count, base[at] == UInt8(ascii: ":") else { throw unexpected("\":\" after a key") }
      at += 1
      skipSpace()
      object[key] = try value()
      skipSpace()
      if take(UInt8(ascii: "}")) { return object }
      guard at < count, base[at] == UInt8(ascii: ",") else { throw unexpected("\",\" or \"}\"") }
      at += 1
      skipSpace()
    }
  }

  private mutating func array() throws(JSONSyntaxError) -> [JSONValue] {
    try enter()
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return elements }
    while true {
      elements.append(try value())
      skipSpace()
      if take(UInt8(ascii: "]")) { return elements }
      guard at < count, base[at] == UInt8(ascii: ",") else { throw unexpected("\",\" or \"]\"") }
      at += 1
      skipSpace()
    }
  }

  /// Takes a closing bracket.
  private mutating func take(_ closing: UInt8) -> Bool {
    guard at < count, base[at] == closing else { return false }
    at += 1
    depth -= 1
    return true
  }

  private mutating func number() throws(JSONSyntaxError) -> JSONValue {
    let start = at
    let shape = NumberShape.read(base, at: at, count: count)
    at = shape.end
    guard shape.isValid else { throw unexpected("a digit") }
    guard let value = shape.value(base, from: start) else {
      throw JSONSyntaxError(.numberOutOfRange, at: start, expected: "a number within the range of a double")
    }
    return value
  }

  private mutating func string() throws(JSONSyntaxError) -> String {
    let body = UnsafeRawBufferPointer(start: base + at + 1, count: count - at - 1)
    switch StringBody.read(body) {
    case .success(let (text, length)):
      at += 1 + length + 1
      return text
    case .failure(var error):
      error.offset += at + 1
      throw error
    }
  }
}

extension JSONValue {
  /// Parses one JSON text, strictly by RFC 8259. Of members with one key the last wins.
  /// - Throws: where the text is wrong, and what was expected there.
  public static func parse(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .default) throws(JSONSyntaxError)
    -> JSONValue
  {
    try JSONParser.parse(bytes, limits: limits)
  }

  /// As above, over an array, a slice or another collection of bytes.
  public static func parse(_ bytes: some Collection<UInt8>, limits: JSONLimits = .default) throws(JSONSyntaxError)
    -> JSONValue
  {
    let result = bytes.withContiguousStorageIfAvailable { outcome(UnsafeRawBufferPointer($0), limits) }
    if let result { return try result.get() }
    return try Array(bytes).withUnsafeBytes { outcome($0, limits) }.get()
  }

  /// As above, over a text; offsets in errors are in bytes of its UTF-8.
  public static func parse(_ text: String, limits: JSONLimits = .default) throws(JSONSyntaxError) -> JSONValue {
    try parse(text.utf8, limits: limits)
  }

  private static func outcome(_ bytes: UnsafeRawBufferPointer, _ limits: JSONLimits) -> Result<
    JSONValue, JSONSyntaxError
  > {
    do throws(JSONSyntaxError) { return .success(try JSONParser.parse(bytes, limits: limits)) } catch {
      return .failure(error)
    }
  }
}
