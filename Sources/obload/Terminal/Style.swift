/// Colour and symbols for what a person reads: colour only on a terminal.
struct Style {
  var isColoured: Bool

  enum Colour: String { case red = "31", green = "32", yellow = "33", dim = "2", bold = "1" }

  func paint(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }
}

/// Text in columns.
enum Columns {
  /// How wide everything is at most.
  static let width = 100

  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// A number in groups of three digits.
  static func number(_ value: some BinaryInteger) -> String {
    var digits = String(value)
    let sign = digits.hasPrefix("-") ? String(digits.removeFirst()) : ""
    var groups: [Substring] = []
    var rest = digits[...]
    while rest.count > 3 {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    groups.insert(rest, at: 0)
    return sign + groups.joined(separator: ",")
  }

  static func plural(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(number(count)) \(count == 1 ? one : many ?? one + "s")"
  }

  /// Cut to the width, with an ellipsis where something is missing.
  static func clipped(_ text: String, _ width: Int = width) -> String {
    text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
  }

  /// Broken at spaces into lines of at most `width`; words longer than that are kept whole.
  static func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    return lines + (line.isEmpty ? [] : [line])
  }
}
