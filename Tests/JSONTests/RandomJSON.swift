import Core
import JSON

/// Seeded random values and texts for property tests.
enum RandomJSON {
  static func value(_ random: inout SeededRandom, depth: Int) -> JSONValue {
    switch random.integer(in: 0...(depth > 0 ? 8 : 5)) {
    case 0: return .null
    case 1: return .bool(random.unit() < 0.5)
    case 2: return .integer(Int64(bitPattern: random.next()) >> random.integer(in: 0...63))
    case 3:
      let number = Double(bitPattern: random.next())
      return .number(number.isFinite ? number : 0.5)
    case 4, 5: return .string(text(&random))
    case 6: return .array((0..<random.integer(in: 0...5)).map { _ in value(&random, depth: depth - 1) })
    default: return object(&random, depth: depth)
    }
  }

  static func object(_ random: inout SeededRandom, depth: Int) -> JSONValue {
    var object = JSONObject()
    for _ in 0..<random.integer(in: 0...6) { object[text(&random)] = value(&random, depth: depth - 1) }
    return .object(object)
  }

  static func text(_ random: inout SeededRandom) -> String {
    let alphabet: [Character] = [
      "a", "b", "\"", "\\", "/", "{", "}", "[", "]", ",", ":", " ", "\n", "\0", "\u{1F}", "é", "😀", "e\u{301}",
      "\u{2028}",
    ]
    var text = ""
    for _ in 0..<random.integer(in: 0...random.integer(in: 1...40)) {
      text.append(alphabet[Int(random.integer(in: 0...Int64(alphabet.count - 1)))])
    }
    return text
  }
}
