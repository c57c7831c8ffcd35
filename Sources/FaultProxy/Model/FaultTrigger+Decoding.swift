import Core
import JSON

/// Reads when a fault begins: `at`, `for`, `every`, `afterConnect`, `onMessage`.
extension FaultTrigger {
  /// The shortest time between two beginnings.
  static let shortestPeriod = Duration.milliseconds(10)

  static func decode(_ options: SectionDecoder, _ definition: FaultDefinition, _ duration: Duration) -> FaultTrigger? {
    let own = options.exclusive(["every", "afterConnect", "onMessage"])
    let isPerConnection = own == "afterConnect" || own == "onMessage"
    if let own, isPerConnection, !definition.beginsPerConnection {
      options.mistake(
        own, "\"\(definition.kind)\" acts on connections that are being made, and cannot wait for one of them",
        expected: "\"at\"")
      return nil
    }
    let start = options.duration("at", required: !isPerConnection)
    let length = decodeLength(options, definition)
    if let start, start >= duration, duration > .zero {
      options.mistake(
        "at", "the fault begins at \(Quantity.text(start)), when the run is over",
        expected: "less than the run's duration of \(Quantity.text(duration))")
    }
    switch own {
    case "every": return decodeEvery(options, definition, start, length)
    case "afterConnect":
      guard let delay = options.duration("afterConnect") else { return nil }
      return .afterConnect(delay, from: start ?? .zero, for: length)
    case "onMessage":
      guard let section = options.section("onMessage", what: "\"onMessage\"") else { return nil }
      let direction: FaultDirection? = section.choice("direction")
      let nth = section.integer("nth", in: 1...1_000_000)
      let match = MessageMatch(section, allowsControl: true, chooses: false)
      section.finish()
      guard let match else { return nil }
      return .onMessage(match, nth: nth ?? 1, direction: direction ?? .both, from: start ?? .zero, for: length)
    default: return start.map { .at($0, for: length) }
    }
  }

  private static func decodeLength(_ options: SectionDecoder, _ definition: FaultDefinition) -> Duration? {
    guard definition.isMoment else {
      return options.duration("for", in: .nanoseconds(1)...SectionDecoder.longest)
    }
    if options.has("for") {
      options.mistake(
        "for", "\"\(definition.kind)\" happens at one moment", expected: "no \"for\"; \"refuse\" keeps clients away")
    }
    return nil
  }

  private static func decodeEvery(
    _ options: SectionDecoder, _ definition: FaultDefinition, _ start: Duration?, _ length: Duration?
  ) -> FaultTrigger? {
    guard let start, let period = options.duration("every", in: shortestPeriod...SectionDecoder.longest) else {
      return nil
    }
    if !definition.isMoment {
      guard let length else {
        if !options.has("for") {
          options.mistake(
            "every", "a fault that comes again and again must end", expected: "a \"for\" beside it, shorter than it")
        }
        return nil
      }
      guard length < period else {
        options.mistake(
          "for", "\"for\" of \(Quantity.text(length)) is not over when the fault begins again",
          expected: "less than \"every\", \(Quantity.text(period))")
        return nil
      }
    }
    return .every(period, from: start, for: length)
  }
}
