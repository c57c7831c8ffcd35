import Core
import JSON
import Metrics
import Protocols

extension CallPlan {
  /// Decodes a fleet's `calls`; `subscriptions` are those of all fleets, which may show what calls do.
  static func decode(
    _ fleet: SectionDecoder, _ subscriptions: [SubscriptionPlan], _ options: FleetDecoding
  ) -> [CallPlan] {
    fleet.sections("calls", what: "a call").enumerated().map { index, section in
      defer { section.finish() }
      let isOnebase = options.protocolName == .onebase
      let path = section.string("path", required: isOnebase) ?? options.protocolName.rawValue
      let kind: OnebaseCallKind = section.choice("kind", required: isOnebase) ?? .query
      // An echo's message is its marker; it has no arguments to write it into.
      let arguments = isOnebase ? ArgumentsTemplate.decode(section, "args") : .marker
      return CallPlan(
        index: index, kind: kind, path: path, arguments: arguments, pace: pace(section),
        start: section.duration("start") ?? .zero,
        deadline: section.duration("deadline") ?? MetricSet.defaultDeadline,
        size: isOnebase ? 0 : section.size("size", in: 1...(16 * 1024 * 1024)) ?? 100,
        seenBy: isOnebase ? seenBy(section, kind, path, arguments, subscriptions) : [])
    }
  }

  private static let slowest = 1e-6
  private static let fastest = 1e6

  private static func pace(_ section: SectionDecoder) -> Pace {
    let which = section.exclusive(["rate", "loop"], required: true)
    let arrivals = section.string("arrivals", oneOf: ["constant", "poisson"])
    if which == "loop" {
      if arrivals != nil { section.mistake("arrivals", "a closed loop has no arrivals", expected: "\"rate\" with it") }
      let loop = section.section("loop", what: "a loop")
      defer { loop?.finish() }
      return .loop(think: loop?.duration("think", required: true) ?? .seconds(1))
    }
    let rate = section.rate("rate", in: slowest...fastest) ?? 1
    return arrivals == "poisson" ? .poisson(perSecond: rate) : .constant(perSecond: rate)
  }

  /// Which subscriptions show the call's marker: those that `seenBy` names, else those on functions of the same file
  /// that have arguments, all of which the call has too. Only mutations that carry a marker are looked for.
  private static func seenBy(
    _ section: SectionDecoder, _ kind: OnebaseCallKind, _ path: String, _ arguments: ArgumentsTemplate,
    _ subscriptions: [SubscriptionPlan]
  ) -> [SeenBy] {
    let named = section.value("seenBy")
    guard kind == .mutation, arguments.hasMarker else {
      if named != nil {
        section.mistake("seenBy", "nothing of this call can be seen", expected: "a mutation with a {marker}")
      }
      return []
    }
    var found: [SeenBy] = []
    guard let named else {
      let file = path.prefix { $0 != ":" }
      for one in subscriptions where one.path.prefix(while: { $0 != ":" }) == file && !one.arguments.keys.isEmpty {
        if let match = SeenBy(path: one.path, keys: one.arguments.keys, of: arguments), !found.contains(match) {
          found.append(match)
        }
      }
      return found
    }
    for element in named.elements ?? [named] {
      let candidates = subscriptions.filter { $0.path == element.string }
      let matches = candidates.compactMap { SeenBy(path: $0.path, keys: $0.arguments.keys, of: arguments) }
      if candidates.isEmpty {
        section.diagnostics.error(
          at: element.location, "no fleet subscribes to \(element.summary)", expected: "the path of a subscription",
          suggestion: element.string.flatMap { Suggestion.nearest(to: $0, among: subscriptions.map(\.path)) })
      } else if matches.isEmpty {
        section.diagnostics.error(
          at: element.location, "the call has not all arguments of the subscription \(element.summary)",
          expected: "arguments \(candidates[0].arguments.keys.joined(separator: ", ")) in the call")
      }
      for match in matches where !found.contains(match) { found.append(match) }
    }
    return found
  }
}

extension ArgumentsTemplate {
  /// `{"marker":"{marker}"}`: what protocols without arguments number their messages by.
  static let marker: ArgumentsTemplate = {
    let text = LocatedValue(.string("{marker}"), at: SourceLocation(line: 1, column: 1))
    let member = LocatedMember(key: "marker", keyLocation: text.location, value: text)
    return ArgumentsTemplate(LocatedValue(.object([member]), at: text.location), diagnostics: Diagnostics())
  }()
}
