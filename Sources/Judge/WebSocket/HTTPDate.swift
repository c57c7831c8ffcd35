import Core

/// Dates in HTTP header fields (RFC 9110 5.6.7, the form that servers must send).
enum HTTPDate {
  /// A longer wait than this, in seconds, is taken for a mistake of the server.
  static let longestWait = 86_400.0

  /// How many seconds a Retry-After asks to wait; nil where there is none, or none that can be read.
  static func wait(_ headers: [HeaderField]) -> Double? {
    guard let text = field("retry-after", headers) else { return nil }
    if let seconds = Int(text) { return seconds >= 0 ? Double(seconds) : nil }
    // A date can only be told apart from now by the server's own clock.
    guard let until = seconds(text), let now = field("date", headers).flatMap(seconds) else { return nil }
    return Double(max(until - now, 0))
  }

  private static func field(_ name: String, _ headers: [HeaderField]) -> String? {
    headers.first { $0.name.lowercased() == name }.map { String($0.value.prefix(64)) }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT` as seconds since 1970.
  static func seconds(_ text: String) -> Int? {
    let words = text.split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), (1...31).contains(day),
      let year = Int(words[3]),
      (1970...9999).contains(year), let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int($0) }
    guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2]) else {
      return nil
    }
    // Days of the years before, then of the months before; March begins the year so that leap days end it.
    let shifted = month < 2 ? year - 1 : year
    let fromMarch = (month + 10) % 12
    let days =
      365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * fromMarch + 2) / 5 + day - 1 - 719_468
    return days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
  }
}
