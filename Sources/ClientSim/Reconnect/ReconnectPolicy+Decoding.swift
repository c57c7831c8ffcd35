import Core
import JSON

extension ReconnectPolicy {
  static let expected =
    "\"onebase\" or \"palbase\", or { exponential: { base, factor, cap } }, { fixed: pause } or { list: [pauses] }"
  private static let schedules = ["exponential", "fixed", "list"]

  /// Decodes `reconnect`: `"onebase"` or `"palbase"`, or an object with one schedule and a `jitter` ("full", "equal", "none" or a share
  /// such as "50%", which is the default).
  static func decode(_ value: LocatedValue?, _ diagnostics: Diagnostics) -> ReconnectPolicy? {
    guard let value, value.kind != .invalid else { return nil }
    if value.members == nil {
      if value.string == "onebase" { return .onebase }
      if value.string == "palbase" { return .palbase }
      diagnostics.error(
        at: value.location, "\"reconnect\" of a fleet cannot be \(value.summary)", expected: expected)
      return nil
    }
    let section = SectionDecoder(value, what: "a reconnect policy", diagnostics: diagnostics)
    defer { section.finish() }
    let jitter = Self.jitter(section) ?? .share(0.5)
    switch section.exclusive(schedules, required: true) {
    case "exponential":
      guard let inner = section.section("exponential", what: "an exponential policy") else { return nil }
      defer { inner.finish() }
      let base = inner.duration("base") ?? .milliseconds(500)
      return ReconnectPolicy(
        .exponential(
          base: base, factor: inner.number("factor", in: 1...100) ?? 2, cap: inner.duration("cap") ?? .seconds(30)),
        jitter: jitter)
    case "fixed": return section.duration("fixed").map { ReconnectPolicy(.fixed($0), jitter: jitter) }
    case "list":
      let pauses = (section.array("list", in: 1...1000) ?? []).compactMap { element in
        let pause = element.string.flatMap { Quantity.duration($0) }
        if pause == nil, element.kind != .invalid {
          diagnostics.error(
            at: element.location, "a pause cannot be \(element.summary)", expected: Quantity.expectedDuration)
        }
        return pause
      }
      return pauses.isEmpty ? nil : ReconnectPolicy(.list(pauses), jitter: jitter)
    default: return nil
    }
  }

  private static func jitter(_ section: SectionDecoder) -> Jitter? {
    guard let value = section.value("jitter") else { return nil }
    switch value.string {
    case "full": return .full
    case "equal": return .equal
    case "none": return Jitter.none
    case let text?:
      // "± 30%" and "30%" are the same.
      if let share = Quantity.share(text.drop { $0 == "±" || $0 == " " }) { return .share(share) }
    case nil: break
    }
    section.mistake(
      "jitter", "\"jitter\" of a reconnect policy cannot be \(value.summary)",
      expected: "\"full\", \"equal\", \"none\" or a share such as \"50%\"")
    return nil
  }
}
