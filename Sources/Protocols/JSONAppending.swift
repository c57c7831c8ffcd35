import JSON

/// Short names for what encoders append, over `JSONText`.
extension [UInt8] {
  mutating func append(json literal: StaticString) { JSONText.append(literal, to: &self) }
  mutating func append(jsonString text: String) { JSONText.appendString(text, to: &self) }
  mutating func append(number: Int64) { JSONText.appendInteger(number, to: &self) }
  mutating func append(value: JSONValue) { value.write(into: &self) }
}
