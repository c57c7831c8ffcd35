/// The units people write in scenario files and budgets: durations, rates, shares, sizes.
///
/// Each parser answers nil for text it does not understand; `expected` says what it wanted.
public enum Quantity {
  public static let expectedDuration = "a duration with a unit, such as \"250ms\", \"1.5s\", \"4m\" or \"1h\""
  public static let expectedRate = "a rate such as \"0.5/s\", \"30/m\" or \"2/h\""
  public static let expectedShare = "a share such as \"30%\" (0% to 100%)"
  public static let expectedSize = "a size such as \"512B\", \"64KiB\" or \"1MB\""

  /// "250ms", "90s", "4m", "1h", "50us" (or "50µs"), "100ns"; never negative.
  public static func duration(_ text: some StringProtocol) -> Duration? {
    guard let (number, unit) = split(text), number >= 0 else { return nil }
    let seconds: Double
    switch unit {
    case "ns": seconds = 1e-9
    case "us", "µs", "μs": seconds = 1e-6
    case "ms": seconds = 1e-3
    case "s": seconds = 1
    case "m", "min": seconds = 60
    case "h": seconds = 3600
    default: return nil
    }
    let total = number * seconds
    return total < 9e9 ? .fractionalSeconds(total) : nil
  }

  /// "0.5/s", "30/m", "2/h" as a number per second; never negative.
  public static func rate(_ text: some StringProtocol) -> Double? {
    guard let (number, unit) = split(text), number >= 0 else { return nil }
    switch unit {
    case "/s": return number
    case "/m", "/min": return number / 60
    case "/h": return number / 3600
    default: return nil
    }
  }

  /// "30%" as 0.3; 0 to 100 %.
  public static func share(_ text: some StringProtocol) -> Double? {
    guard let (number, unit) = split(text), unit == "%", (0...100).contains(number) else { return nil }
    return number / 100
  }

  /// "512B", "64KiB", "1MB", … in bytes.
  public static func size(_ text: some StringProtocol) -> Int? {
    guard let (number, unit) = split(text), number >= 0 else { return nil }
    let factors: [(String, Double)] = [
      ("B", 1), ("kB", 1e3), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("KiB", 1024), ("MiB", 1_048_576),
      ("GiB", 1_073_741_824),
    ]
    guard let factor = factors.first(where: { $0.0 == unit })?.1, number * factor < 9e15 else { return nil }
    return Int(number * factor)
  }

  /// A duration for people: three significant digits and the unit that fits, as in "4.1 ms" or "1.90 s".
  public static func text(_ duration: Duration) -> String {
    let nanoseconds = Double(duration.nanoseconds)
    let magnitude = abs(nanoseconds)
    switch magnitude {
    case 0: return "0 s"
    case ..<999.5: return digits(nanoseconds, unit: "ns")
    case ..<999_500: return digits(nanoseconds / 1e3, unit: "µs")
    case ..<999_500_000: return digits(nanoseconds / 1e6, unit: "ms")
    case ..<120e9: return digits(nanoseconds / 1e9, unit: "s")
    default: return digits(nanoseconds / 60e9, unit: "min")
    }
  }

  private static func digits(_ value: Double, unit: String) -> String {
    let magnitude = abs(value)
    let decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2
    return "\(fixed(value, decimals: decimals)) \(unit)"
  }

  /// A number with exactly so many decimals, without Foundation.
  public static func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    var factor: Double = 1
    for _ in 0..<decimals { factor *= 10 }
    let scaled = Int64((abs(value) * factor).rounded())
    let whole = scaled / Int64(factor)
    let sign = value < 0 && scaled != 0 ? "-" : ""
    if decimals == 0 { return "\(sign)\(whole)" }
    let fraction = String(scaled % Int64(factor))
    return "\(sign)\(whole)." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }

  private static func split(_ text: some StringProtocol) -> (Double, String)? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "-" || $0 == "+") }
    guard !digits.isEmpty, let number = Double(digits), number.isFinite else { return nil }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    return unit.isEmpty ? nil : (number, String(unit))
  }
}
