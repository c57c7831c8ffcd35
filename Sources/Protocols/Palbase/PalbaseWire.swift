import Core
import JSON

/// The names of the events that palbase's public documents do not fix, in one table that a scenario's `target.wire`
/// can override.
public struct PalbaseWire: Hashable, Sendable {
  /// Server to member: the whole state.
  public var state = "state"
  /// Server to member: one entry was set or removed.
  public var stateChange = "state_change"
  /// Client: sets an entry.
  public var stateSet = "state_set"
  /// Client: removes an entry of its own.
  public var stateDelete = "state_delete"
  /// Client: asks for the whole state.
  public var stateGet = "state_get"
  /// Server to sender: a broadcast or a state write was refused.
  public var refused = "refused"
  /// Client: a refreshed token for a joined channel.
  public var accessToken = "access_token"

  public init() {}

  /// Reads the section `wire` of a scenario's target; mistakes go to `diagnostics`, and what is wrong keeps its default.
  public static func decode(_ value: LocatedValue, _ diagnostics: Diagnostics) -> PalbaseWire {
    let section = SectionDecoder(value, what: "a table of wire names", diagnostics: diagnostics)
    var wire = PalbaseWire()
    var taken = Set(PalbaseEvent.fixedNames)
    for (key, path) in keys {
      let name = section.string(key) ?? wire[keyPath: path]
      if name.isEmpty || !taken.insert(name).inserted {
        section.mistake(
          key, name.isEmpty ? "an event needs a name" : "the event name \"\(name)\" already means something else",
          expected: "a name of its own")
      } else {
        wire[keyPath: path] = name
      }
    }
    section.finish()
    return wire
  }

  private static var keys: [(String, WritableKeyPath<PalbaseWire, String>)] {
    [
      ("state", \.state), ("state_change", \.stateChange), ("state_set", \.stateSet), ("state_delete", \.stateDelete),
      ("state_get", \.stateGet), ("refused", \.refused), ("access_token", \.accessToken),
    ]
  }
}
