public import JSON
import WebSocket

extension MessageMatch {
  /// Decodes the section `match` of a fault; all messages where there is none, nil after reporting a mistake.
  ///
  /// - `allowsControl`: whether `opcode` may name control frames.
  public static func decode(_ options: SectionDecoder, allowsControl: Bool = false) -> MessageMatch? {
    guard options.has("match") else { return MessageMatch() }
    guard let section = options.section("match", what: "\"match\"") else { return nil }
    let match = MessageMatch(section, allowsControl: allowsControl, chooses: true)
    section.finish()
    return match
  }

  /// - `chooses`: whether `every`, `share` and `times` are known.
  init?(_ section: SectionDecoder, allowsControl: Bool, chooses: Bool) {
    let before = section.diagnostics.count
    let names = Opcode.allCases.filter { allowsControl || !$0.isControl }.map(\.rawValue)
    let opcode = section.string("opcode", oneOf: names).flatMap(Opcode.init(rawValue:))
    self.init(
      opcode: opcode, type: section.string("type"), event: section.string("event"), path: section.string("path"),
      id: Self.decodeID(section))
    if let opcode, opcode.isControl, readsPayload {
      section.mistake(
        "opcode", "a \"\(opcode.rawValue)\" frame has no \"type\", \"event\", \"path\" or \"id\"",
        expected: "\"text\" or \"binary\" beside them")
    }
    if chooses {
      every = section.integer("every", in: 1...1_000_000) ?? 1
      share = section.share("share") ?? 1
      times = section.integer("times", in: 1...1_000_000_000)
    }
    if section.diagnostics.count > before { return nil }
  }

  private static func decodeID(_ section: SectionDecoder) -> String? {
    let expected = "a whole number or a string in quotes"
    guard let value = section.value("id", expected: expected) else { return nil }
    if let text = value.string { return text }
    if let number = value.integer { return "\(number)" }
    section.mistake("id", "\"id\" of a match cannot be \(value.summary)", expected: expected)
    return nil
  }
}

extension WebSocket.Opcode {
  /// The same as a match writes it; nil for data frames.
  var controlMatch: MessageMatch.Opcode? {
    switch self {
    case .ping: .ping
    case .pong: .pong
    case .close: .close
    default: nil
    }
  }
}
