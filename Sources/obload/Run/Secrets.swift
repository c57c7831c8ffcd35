import ClientSim
import JSON
import Reporting

/// Takes a run's credentials out of everything it writes: a server may send back what it was given, in any place.
struct Secrets {
  /// Shorter ones are words, not credentials, and may stand anywhere.
  static let shortest = 4
  /// So much of a credential is taken for it where a text ends: it may have been cut there.
  static let telling = 8
  static let mark = "…redacted…"

  /// Each credential as it looks in the files.
  private var needles: [[UInt8]] = []

  init(_ secrets: [String]) {
    for secret in secrets where secret.utf8.count >= Self.shortest {
      // A frame in evidence is JSON in a string of JSON, or in an attribute of XML.
      let json = Self.escaped(secret)
      for form in [secret, json, Self.escaped(json), JUnitXML.escape(secret), JUnitXML.escape(json)] {
        let needle = Array(form.utf8)
        if !needles.contains(needle) { needles.append(needle) }
      }
    }
    // The longest first, so that of two that begin alike the longer one goes whole.
    needles.sort { $0.count > $1.count }
  }

  /// As within the quotes of a JSON string.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONText.appendString(text, to: &bytes)
    return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  init(of scenario: Scenario) {
    let sources = [scenario.target.token] + scenario.fleets.map(\.token)
    self.init(sources.compactMap { if case .secret(let secret) = $0 { secret } else { nil } })
  }

  func hidden(_ text: String) -> String {
    needles.isEmpty ? text : String(decoding: hidden(Array(text.utf8)), as: UTF8.self)
  }

  func hidden(_ bytes: [UInt8]) -> [UInt8] {
    if needles.isEmpty { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      if let length = length(in: bytes, at) {
        result.append(contentsOf: Self.mark.utf8)
        at += length
      } else {
        result.append(bytes[at])
        at += 1
      }
    }
    return result
  }

  /// How much of a credential stands at `at`, whole or cut; nil when none does.
  private func length(in bytes: [UInt8], _ at: Int) -> Int? {
    var longest: Int?
    for needle in needles where needle[0] == bytes[at] {
      var count = 0
      while count < needle.count, at + count < bytes.count, bytes[at + count] == needle[count] { count += 1 }
      let isCut = count >= Self.telling && Self.endsText(bytes, at + count)
      if count == needle.count || isCut, count > longest ?? 0 { longest = count }
    }
    return longest
  }

  /// Whether a text ends before `at`: with its quote, an ellipsis, an entity, or all there is. A member's name is none.
  private static func endsText(_ bytes: [UInt8], _ at: Int) -> Bool {
    guard at < bytes.count else { return true }
    if bytes[at] == 0x22, at + 1 < bytes.count, bytes[at + 1] == 0x3A { return false }
    return [0x22, 0x26, 0x27, 0x0A, 0x5C, 0xE2].contains(bytes[at])
  }
}
