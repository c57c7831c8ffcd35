/// Reads JSON5 number texts: hexadecimal, leading and trailing dots, a leading plus.
enum LocatedNumber {
  enum Outcome: Hashable {
    case number(Double)
    /// What is wrong and what was expected.
    case wrong(String, expected: String)
  }

  /// `token` is a run of letters, digits, signs and dots that starts like a number.
  static func read(_ token: String) -> Outcome {
    let unsigned = token.drop { $0 == "+" || $0 == "-" }
    let signs = token.utf8.count - unsigned.utf8.count
    let shown = Excerpt.of(token)
    guard signs <= 1 else { return .wrong("\(shown) is not a number", expected: "one sign at most") }
    let sign: Double = token.hasPrefix("-") ? -1 : 1
    if unsigned == "Infinity" || unsigned == "NaN" {
      return .wrong("\(shown) is not allowed", expected: "a finite number")
    }
    if unsigned.hasPrefix("0x") || unsigned.hasPrefix("0X") {
      let digits = unsigned.dropFirst(2)
      guard !digits.isEmpty, digits.utf8.allSatisfy({ HexDigit.value($0) != nil }) else {
        return .wrong("\(shown) is not a hexadecimal number", expected: "digits and A to F after 0x")
      }
      guard let value = UInt64(digits, radix: 16) else {
        return .wrong("\(shown) is too large", expected: "at most 16 hexadecimal digits")
      }
      return .number(sign * Double(value))
    }
    return decimal(unsigned, shown).map { .number(sign * $0) } ?? wrongDecimal(token, unsigned, shown)
  }

  /// The value of a valid token if it is whole, without fraction and exponent, and fits.
  static func integer(_ token: String) -> Int64? {
    let unsigned = token.drop { $0 == "+" || $0 == "-" }
    let sign = token.hasPrefix("-") ? "-" : ""
    if unsigned.hasPrefix("0x") || unsigned.hasPrefix("0X") { return Int64(sign + unsigned.dropFirst(2), radix: 16) }
    return Int64(sign + unsigned)
  }

  private static func decimal(_ text: Substring, _ shown: String) -> Double? {
    let (whole, fraction, exponent) = parts(text)
    let digits = whole + (fraction ?? "")
    guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit), !hasLeadingZero(whole) else { return nil }
    if let exponent {
      let size = exponent.hasPrefix("+") || exponent.hasPrefix("-") ? exponent.dropFirst() : exponent[...]
      guard !size.isEmpty, size.utf8.allSatisfy(isDigit) else { return nil }
    }
    let strict = (whole.isEmpty ? "0" : whole) + "." + (fraction.map { $0.isEmpty ? "0" : $0 } ?? "0")
    guard let value = Double(strict + (exponent.map { "e" + $0 } ?? "")), value.isFinite else { return nil }
    return value
  }

  private static func wrongDecimal(_ token: String, _ unsigned: Substring, _ shown: String) -> Outcome {
    let (whole, _, _) = parts(unsigned)
    if hasLeadingZero(whole), whole.utf8.allSatisfy(isDigit) {
      return .wrong("\(shown) starts with a needless zero", expected: "a number without leading zeros")
    }
    let number = unsigned.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    if !number.isEmpty, number.endIndex < unsigned.endIndex, Double("0\(number)0") != nil,
      unsigned[number.endIndex...].first.map({ $0 != "+" && $0 != "-" }) == true,
      !unsigned[number.endIndex...].lowercased().hasPrefix("e")
    {
      return .wrong("\(shown) is not a number", expected: "quotes around a number with a unit: \"\(shown)\"")
    }
    if unsigned.utf8.allSatisfy({ isDigit($0) || $0 | 0x20 == 0x65 || (0x2B...0x2E).contains($0) }),
      let value = Double(token), !value.isFinite
    {
      return .wrong("\(shown) is too large", expected: "a number within the range of a double")
    }
    return .wrong("\(shown) is not a number", expected: "a number such as 10, -1.5, .5, 1e3 or 0x1F")
  }

  private static func parts(_ text: Substring) -> (whole: String, fraction: String?, exponent: String?) {
    let mantissa = text.prefix { $0 != "e" && $0 != "E" }
    let exponent = mantissa.endIndex < text.endIndex ? String(text[mantissa.endIndex...].dropFirst()) : nil
    guard let dot = mantissa.firstIndex(of: ".") else { return (String(mantissa), nil, exponent) }
    return (String(mantissa[..<dot]), String(mantissa[mantissa.index(after: dot)...]), exponent)
  }

  private static func hasLeadingZero(_ whole: String) -> Bool { whole.utf8.count > 1 && whole.hasPrefix("0") }
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
