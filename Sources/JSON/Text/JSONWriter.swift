extension JSONValue {
  /// Appends the value as compact JSON, members in the order built.
  public func write(into out: inout [UInt8]) {
    switch self {
    case .null: JSONText.append("null", to: &out)
    case .bool(let flag): JSONText.append(flag ? "true" : "false", to: &out)
    case .integer(let whole): JSONText.appendInteger(whole, to: &out)
    case .number(let number): JSONText.appendDouble(number, to: &out)
    case .string(let text): JSONText.appendString(text, to: &out)
    case .array(let elements):
      out.append(UInt8(ascii: "["))
      for (place, element) in elements.enumerated() {
        if place > 0 { out.append(UInt8(ascii: ",")) }
        element.write(into: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .object(let object):
      out.append(UInt8(ascii: "{"))
      for (place, member) in object.members.enumerated() {
        if place > 0 { out.append(UInt8(ascii: ",")) }
        JSONText.appendString(member.key, to: &out)
        out.append(UInt8(ascii: ":"))
        member.value.write(into: &out)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  /// Compact JSON, members in the order built.
  public func encoded() -> [UInt8] {
    var out: [UInt8] = []
    write(into: &out)
    return out
  }

  /// Compact JSON, members in the order built.
  public var text: String { String(decoding: encoded(), as: UTF8.self) }

  /// One text for equal values: keys sorted by their bytes, no space, whole numbers without fraction.
  public func canonical() -> [UInt8] {
    var out: [UInt8] = []
    normalised.write(into: &out)
    return out
  }

  private var normalised: JSONValue {
    switch self {
    case .number(let number): Int64(exactly: number).map { .integer($0) } ?? self
    case .array(let elements): .array(elements.map(\.normalised))
    case .object(let object):
      .object(
        JSONObject(
          object.members.map { ($0.key, $0.value.normalised) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }))
    default: self
    }
  }

  /// Indented JSON for people and diffs: one member or element a line, in the order built, no newline at the end.
  public func prettyText(indent: Int = 2) -> String {
    var out: [UInt8] = []
    writePretty(into: &out, indent: max(indent, 0), level: 0)
    return String(decoding: out, as: UTF8.self)
  }

  private func writePretty(into out: inout [UInt8], indent: Int, level: Int) {
    func startLine(_ level: Int) {
      out.append(UInt8(ascii: "\n"))
      out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent * level))
    }
    switch self {
    case .array(let elements) where !elements.isEmpty:
      out.append(UInt8(ascii: "["))
      for (place, element) in elements.enumerated() {
        if place > 0 { out.append(UInt8(ascii: ",")) }
        startLine(level + 1)
        element.writePretty(into: &out, indent: indent, level: level + 1)
      }
      startLine(level)
      out.append(UInt8(ascii: "]"))
    case .object(let object) where !object.isEmpty:
      out.append(UInt8(ascii: "{"))
      for (place, member) in object.members.enumerated() {
        if place > 0 { out.append(UInt8(ascii: ",")) }
        startLine(level + 1)
        JSONText.appendString(member.key, to: &out)
        out.append(contentsOf: ": ".utf8)
        member.value.writePretty(into: &out, indent: indent, level: level + 1)
      }
      startLine(level)
      out.append(UInt8(ascii: "}"))
    default: write(into: &out)
    }
  }
}
