/// Rules of channel names: non-empty segments with colons between, 255 bytes at most.
public enum PalbaseTopic {
  /// The longest name, in bytes of UTF-8.
  public static let longest = 255
  /// Where heartbeats go; no channel.
  public static let heartbeat = "phoenix"

  /// What is wrong with a channel's name; nil if nothing is.
  public static func mistake(_ topic: String) -> String? {
    if topic.isEmpty { return "a channel's name is empty; expected segments with colons between" }
    let count = topic.utf8.count
    if count > longest { return "a channel's name has \(count) bytes; expected at most \(longest)" }
    var previous = UInt8(ascii: ":")
    for byte in topic.utf8 {
      if byte == UInt8(ascii: ":"), previous == byte { return emptySegment }
      previous = byte
    }
    if previous == UInt8(ascii: ":") { return emptySegment }
    return topic == heartbeat ? "the name \"\(heartbeat)\" is that of heartbeats" : nil
  }

  /// Whether the name is in the platform's namespace `flags:`, which no declaration can claim.
  public static func isFlags(_ topic: String) -> Bool { topic == "flags" || topic.utf8.starts(with: "flags:".utf8) }

  /// The segments of a name.
  public static func segments(_ topic: String) -> [Substring] {
    topic.split(separator: ":", omittingEmptySubsequences: false)
  }

  private static let emptySegment = "a channel's name has an empty segment; expected text on both sides of each colon"
}
