import Core
public import JSON

/// The faults of a run, in the order written.
public struct FaultTimeline: Sendable {
  /// More faults than this are a mistake.
  public static let most = 1000
  public var entries: [FaultEntry]

  public init(_ entries: [FaultEntry] = []) { self.entries = entries }

  /// Whether a fault has to see frames, so that connections must be tracked from their first byte.
  public var needsFrames: Bool { entries.contains(where: \.needsFrames) }
  /// Whether a fault has to see whole messages.
  public var needsMessages: Bool { entries.contains { $0.hooks.contains(.messages) } }

  /// The faults as windows for budgets. `for` is nil for one that stays until the end, and zero for one that happens at
  /// a moment.
  /// One that comes again and again, or to each connection at a time of its own, has one window from its first beginning
  /// to the end.
  public var windows: [(name: String, at: Duration, for: Duration?)] {
    entries.map { entry in
      let window = entry.trigger.window
      let isOnce = if case .at = entry.trigger { true } else { false }
      return (entry.name, window.at, entry.isMoment && isOnce ? .zero : window.for)
    }
  }

  /// What the judge is to read each fault as, by ordinal: its kind, with a word behind a colon where that decides what
  /// the fault hides from the proxy's own eyes.
  public var judgedKinds: [String] {
    let last = entries.map(\.ordinal).max() ?? -1
    var kinds = [String](repeating: "", count: last + 1)
    for entry in entries { kinds[entry.ordinal] = entry.fault.judgedAs(entry) }
    return kinds
  }

  /// Decodes the section `faults`; everything wrong with it is reported.
  ///
  /// - `fleets`: those a fault may name, with their client numbers.
  /// - `duration`: the run's, which no fault may begin after.
  public static func decode(
    _ faults: LocatedValue?, fleets: [FaultFleet], duration: Duration, diagnostics: Diagnostics
  ) -> FaultTimeline {
    guard let faults, faults.kind != .invalid else { return FaultTimeline() }
    guard let elements = faults.elements else {
      diagnostics.error(at: faults.location, "\"faults\" cannot be \(faults.summary)", expected: "an array [ … ]")
      return FaultTimeline()
    }
    guard elements.count <= most else {
      diagnostics.error(at: faults.location, "\(elements.count) faults", expected: "at most \(most)")
      return FaultTimeline()
    }
    var timeline = FaultTimeline()
    var names: [String: SourceLocation] = [:]
    for (ordinal, element) in elements.enumerated() where element.kind != .invalid {
      let options = SectionDecoder(element, what: "a fault", diagnostics: diagnostics)
      guard element.members != nil, let definition = FaultRegistry.decodeKind(options) else { continue }
      let name = decodeName(options, &names)
      let trigger = FaultTrigger.decode(options, definition, duration)
      let target = FaultTarget.decode(options, fleets: fleets)
      let direction: FaultDirection? = definition.defaultDirection == nil ? nil : options.choice("direction")
      let fault = definition.decode(options)
      if let fault, let trigger {
        let entry = FaultEntry(
          ordinal: ordinal, name: name, trigger: trigger, target: target, direction: direction, fault: fault,
          location: options.location)
        fault.check(entry, options)
        timeline.entries.append(entry)
      }
      options.finish()
    }
    return timeline
  }

  private static func decodeName(_ options: SectionDecoder, _ names: inout [String: SourceLocation]) -> String? {
    guard let name = options.string("name") else { return nil }
    let place = options.location(of: "name")
    guard name.utf8.count <= 64, name.first?.isLetter == true,
      name.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
    else {
      options.mistake(
        "name", "a fault cannot be named \"\(String(name.prefix(64)))\"",
        expected: "letters, digits, \"-\" and \"_\", a letter first, 64 at most, so that budgets can name it")
      return nil
    }
    if name == "steady" || name == "whole" {
      options.mistake("name", "\"\(name)\" names a window of every run", expected: "another name")
      return nil
    }
    if let first = names[name] {
      options.mistake(
        "name", "two faults are named \"\(name)\"; the first is at \(first)", expected: "a name of its own")
      return nil
    }
    names[name] = place
    return name
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
