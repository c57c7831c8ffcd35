import Core
import JSON
import Protocols

/// OB-S16: which texts a server gives for errors; a report, which nothing breaks.
struct ErrorTextsSeen: Clause {
  static let info = ClauseInfo(
    "OB-S16", .server, .connection, level: .report,
    "Errors other than ConvexError may read `Server Error` outside dev mode.")
  // An update that is an error is never a steady one.
  static let topics = Topics.far(.update, .result, .transition)

  private var tally = Tally()
  private struct Seen: Hashable { var text: String; var count: Int }
  /// By text, ascending. Of more than fit those that come first stay: so parts merge to the same list in any order.
  private var texts: [Seen] = []
  private static let capacity = 8
  private static let longest = 80

  init(_ options: JudgeOptions) {}

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    take(message.facts, message, observation)
    for part in message.facts.parts { take(part, message, observation) }
  }

  private mutating func take(_ facts: MessageFacts, _ message: WireMessage, _ observation: Observation) {
    guard facts.kind != .onebaseTransition, !facts.flags.contains(.ok) else { return }
    tally.kept(faults: observation.faults)
    guard let error = facts.error else { return add("(no text)", 1) }
    let raw = message.bytes(error)
    let text = JSONText.string(of: raw) ?? String(decoding: raw, as: UTF8.self)
    add(Redaction.text(Array(text.utf8), limit: Self.longest), 1)
  }

  private mutating func add(_ text: String, _ count: Int) {
    let index = texts.firstIndex { $0.text >= text } ?? texts.count
    if index < texts.count, texts[index].text == text { return texts[index].count += count }
    guard index < Self.capacity else { return }
    texts.insert(Seen(text: text, count: count), at: index)
    if texts.count > Self.capacity { texts.removeLast() }
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    for seen in other.texts { add(seen.text, seen.count) }
  }

  func finding() -> ClauseFinding {
    let list = texts.map { "\"\($0.text)\" \($0.count) times" }.joined(separator: ", ")
    return tally.finding(
      Self.info, tolerance: "up to \(Self.capacity) texts are listed", note: texts.isEmpty ? nil : "seen: \(list)")
  }
}
