import JSON

/// What an event's name means.
enum PalbaseEvent: UInt8, Sendable {
  case join, leave, reply, close, error, heartbeat, broadcast
  case accessToken, state, stateChange, stateSet, stateDelete, stateGet, refused

  /// The names that the SDK and Phoenix fix.
  static let fixedNames = ["phx_join", "phx_leave", "phx_reply", "phx_close", "phx_error", "heartbeat", "broadcast"]
}

/// Finds what an event means by its raw JSON string.
struct PalbaseEventTable: Sendable {
  private struct Entry {
    var quoted: [UInt8]
    var event: PalbaseEvent
  }

  private let entries: [Entry]

  init(_ wire: PalbaseWire) {
    let names: [(String, PalbaseEvent)] = [
      ("broadcast", .broadcast), (wire.stateChange, .stateChange), (wire.stateSet, .stateSet),
      ("phx_reply", .reply), ("heartbeat", .heartbeat), ("phx_join", .join), (wire.state, .state),
      ("phx_leave", .leave), (wire.stateGet, .stateGet), (wire.stateDelete, .stateDelete), (wire.refused, .refused),
      (wire.accessToken, .accessToken), ("phx_close", .close), ("phx_error", .error),
    ]
    entries = names.map { name, event in
      var quoted: [UInt8] = []
      quoted.append(jsonString: name)
      return Entry(quoted: quoted, event: event)
    }
  }

  func event(of raw: UnsafeRawBufferPointer) -> PalbaseEvent? {
    for entry in entries where entry.quoted.count == raw.count && raw.elementsEqual(entry.quoted) { return entry.event }
    guard raw.contains(UInt8(ascii: "\\")), let text = JSONText.string(of: raw) else { return nil }
    // The same name written with other escapes.
    var plain: [UInt8] = []
    plain.append(jsonString: text)
    return entries.first { $0.quoted == plain }?.event
  }
}
