import WebSocket

/// Reads `Retry-After` (RFC 9110 §10.2.3): seconds, or a date, which is taken relative to the answer's own `Date`.
enum RetryAfter {
  static func parse(_ head: HTTPResponseHead) -> Duration? {
    guard let text = head.headers.first("Retry-After") else { return nil }
    if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
    guard let then = date(text), let now = head.headers.first("Date").flatMap({ date($0) }) else { return nil }
    return .seconds(max(0, then - now))
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Seconds since 1970 of an IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func date(_ text: String) -> Int64? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int64(words[1]), (1...31).contains(day),
      let month = months.firstIndex(of: String(words[2])), let year = Int64(words[3]), (1970...9999).contains(year)
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int64($0) }
    guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2]) else {
      return nil
    }
    // Days from civil: years begin in March, so that the leap day is the last.
    let shifted = month < 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * Int64((month + 10) % 12) + 2) / 5 + day - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    return days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
  }
}
