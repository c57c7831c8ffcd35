import JSON

/// Short names for what messages are put together from, over `JSONText`.
extension [UInt8] {
  mutating func append(json literal: StaticString) { JSONText.append(literal, to: &self) }
  mutating func append(jsonString text: String) { JSONText.appendString(text, to: &self) }
  mutating func append(number: some FixedWidthInteger) { JSONText.appendInteger(number, to: &self) }
}
