import Core

/// Takes credentials out of frames before anyone reads them.
public enum Redaction {
  /// What stands in a credential's place.
  public static let mark = "…redacted…"

  /// The first `limit` bytes of a payload as text, with every value of a member whose name holds `token` and whatever
  /// follows `Bearer` taken out. Works on broken JSON and on text that is cut within a token.
  public static func text(_ payload: some Collection<UInt8>, limit: Int = 400) -> String {
    let cut = Array(payload.prefix(limit))
    let kept = redacted(cut)
    let text = PrintableText.of(String(decoding: kept, as: UTF8.self))
    return payload.count > limit ? text + "… (\(payload.count) bytes)" : text
  }

  static func redacted(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      if let secret = secret(bytes, at) {
        result.append(contentsOf: bytes[at..<secret.lowerBound])
        result.append(contentsOf: mark.utf8)
        at = secret.upperBound
      } else {
        result.append(bytes[at])
        at += 1
      }
    }
    return result
  }

  /// If a name of a secret begins at `at`: the range of the secret that follows it.
  private static func secret(_ bytes: [UInt8], _ at: Int) -> Range<Int>? {
    if matches(bytes, at, "bearer ") { return run(bytes, from: at + 7) }
    guard matches(bytes, at, "token") else { return nil }
    var next = at + 5
    // The rest of the name, as in `tokenValue`, then its quote, the colon and space.
    while next < bytes.count, isWord(bytes[next]) { next += 1 }
    if next < bytes.count, isQuote(bytes[next]) { next += 1 }
    while next < bytes.count, bytes[next] == 0x20 || bytes[next] == 0x09 || bytes[next] == 0x0A { next += 1 }
    guard next < bytes.count, bytes[next] == 0x3A || bytes[next] == 0x3D else { return nil }
    next += 1
    while next < bytes.count, bytes[next] <= 0x20 { next += 1 }
    guard next < bytes.count else { return nil }
    if matches(bytes, next, "null") { return nil }
    guard isQuote(bytes[next]) else { return run(bytes, from: next) }
    let quote = bytes[next]
    var end = next + 1
    while end < bytes.count, bytes[end] != quote { end += bytes[end] == 0x5C ? 2 : 1 }
    return next + 1..<max(min(end, bytes.count), next + 1)
  }

  /// From `start` to where a value without quotes ends.
  private static func run(_ bytes: [UInt8], from start: Int) -> Range<Int> {
    var end = start
    while end < bytes.count, bytes[end] > 0x20, ![0x2C, 0x7D, 0x5D, 0x22, 0x26].contains(bytes[end]) { end += 1 }
    return min(start, end)..<end
  }

  private static func matches(_ bytes: [UInt8], _ at: Int, _ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard at + count <= bytes.count else { return false }
    for index in 0..<count where bytes[at + index] | 0x20 != word.utf8Start[index] { return false }
    return true
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
    default: false
    }
  }

  private static func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 }
}
