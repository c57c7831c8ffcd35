import Core
import JSON

/// Something the scenario's timeline does to clients.
public struct ClientEvent: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    /// A restart of the client's process: memory is gone, what is persisted stays.
    case restart
    /// The client goes offline of its own will, or comes back.
    case offline, online
  }

  /// From the run's beginning.
  public var at: Duration
  public var kind: Kind
  /// The fleet; nil for all.
  public var fleet: Int?

  public init(at: Duration, kind: Kind, fleet: Int?) {
    self.at = at
    self.kind = kind
    self.fleet = fleet
  }

  /// Decodes `timeline: [{ at, restart | offline | online: FLEET or "all" }]`, in the order of time.
  public static func decode(
    _ timeline: LocatedValue?, fleets: [FleetPlan], duration: Duration, diagnostics: Diagnostics
  ) -> [ClientEvent] {
    guard let timeline, timeline.kind != .invalid else { return [] }
    guard let elements = timeline.elements else {
      diagnostics.error(
        at: timeline.location, "\"timeline\" cannot be \(timeline.summary)", expected: "an array of events")
      return []
    }
    let events: [ClientEvent] = elements.compactMap { element in
      let section = SectionDecoder(element, what: "an event", diagnostics: diagnostics)
      defer { section.finish() }
      let at = section.duration("at", required: true)
      if let at, at > duration {
        section.mistake(
          "at", "the event comes after the run's end", expected: "at most \(Quantity.text(duration)), the duration")
      }
      guard let key = section.exclusive(Kind.allCases.map(\.rawValue), required: true),
        let kind = Kind(rawValue: key), let name = section.string(key), let at
      else { return nil }
      if name == "all" { return ClientEvent(at: at, kind: kind, fleet: nil) }
      guard let fleet = fleets.firstIndex(where: { $0.name == name }) else {
        section.mistake(
          key, "there is no fleet \"\(name)\"", expected: "\"all\" or the name of a fleet",
          suggestion: Suggestion.nearest(to: name, among: fleets.map(\.name)))
        return nil
      }
      return ClientEvent(at: at, kind: kind, fleet: fleet)
    }
    // A stable order: of events at one time the first written comes first.
    return events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}
