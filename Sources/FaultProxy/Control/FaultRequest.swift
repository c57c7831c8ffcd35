import Core
public import JSON

/// A fault as someone wrote it for a running proxy: what a scenario's `faults` hold, but that `at` may be left out, which
/// means now, and that `clients` may be `"connection:17"`.
public struct FaultRequest: Sendable {
  public var entry: FaultEntry
  /// Whether it was given a name; otherwise the proxy finds one.
  public var isNamed: Bool
  /// As it was written, for those who ask later.
  public var written: JSONValue

  private static let connectionPrefix = "connection:"
  /// Keys that say when a fault begins.
  private static let triggers = ["at", "every", "after", "afterConnect", "onMessage", "on"]

  /// Decodes a list of faults, or an object with the list as `faults`; everything wrong is reported.
  public static func decodeList(_ value: LocatedValue, _ diagnostics: Diagnostics) -> [FaultRequest] {
    var list = value
    if value.members != nil {
      let section = SectionDecoder(value, what: "the file", diagnostics: diagnostics)
      guard let faults = section.value("faults", required: true, expected: "an array [ … ]") else { return [] }
      section.finish()
      list = faults
    }
    let elements = list.elements ?? []
    let timeline = FaultTimeline.decode(
      LocatedValue(list.elements == nil ? list.kind : .array(elements.map(prepared)), at: list.location), fleets: [],
      duration: .zero, diagnostics: diagnostics)
    if diagnostics.hasErrors { return [] }
    return timeline.entries.compactMap { entry in
      elements.indices.contains(entry.ordinal) ? request(entry, elements[entry.ordinal], diagnostics) : nil
    }
  }

  /// Decodes one fault; nil where something is wrong, after reporting it.
  public static func decode(_ value: LocatedValue, _ diagnostics: Diagnostics) -> FaultRequest? {
    guard value.members != nil else {
      diagnostics.error(at: value.location, "a fault cannot be \(value.summary)", expected: "an object { … }")
      return nil
    }
    return decodeList(LocatedValue(.array([value]), at: value.location), diagnostics).first
  }

  private static func request(
    _ entry: FaultEntry, _ value: LocatedValue, _ diagnostics: Diagnostics
  ) -> FaultRequest? {
    var entry = entry
    if let clients = value["clients"], let text = clients.string, text.hasPrefix(connectionPrefix) {
      guard let number = UInt64(text.dropFirst(connectionPrefix.count)), number < 1 << 56 else {
        diagnostics.error(
          at: clients.location, "\"clients\" cannot be \(clients.summary)", expected: "\"connection:NUMBER\"")
        return nil
      }
      entry.target = .connection(ConnectionID(loop: 0, ordinal: number))
    }
    return FaultRequest(entry: entry, isNamed: value["name"] != nil, written: value.json)
  }

  /// With what the scenario's decoder asks for.
  private static func prepared(_ value: LocatedValue) -> LocatedValue {
    guard var members = value.members else { return value }
    if let place = members.firstIndex(where: { $0.key == "clients" }),
      members[place].value.string?.hasPrefix(connectionPrefix) == true
    {
      members[place].value = LocatedValue(.string("all"), at: members[place].value.location)
    }
    if !members.contains(where: { triggers.contains($0.key) }) {
      members.append(
        LocatedMember(
          key: "at", keyLocation: value.location, value: LocatedValue(.string("0s"), at: value.location)))
    }
    return LocatedValue(.object(members), at: value.location)
  }
}
