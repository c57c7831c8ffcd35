import Core
import JSON

/// `editMessage`: members of JSON messages that match are set or removed; every other byte stays as it is.
public struct EditMessage: Fault {
  public static let kind = "editMessage"
  public static let summary = "members of JSON messages that match are set or removed; all else stays as it is"
  public static let defaultDirection: FaultDirection? = .both

  /// What is changed, in this order: what is removed, then what is set.
  public var edits: [JSONEdit]
  public var match: MessageMatch

  public init(edits: [JSONEdit], match: MessageMatch = MessageMatch()) {
    self.edits = edits
    self.match = match
  }

  public init?(_ options: SectionDecoder) {
    var edits: [JSONEdit] = []
    let removed = options.strings("remove")
    let set = options.object("set")
    guard let match = MessageMatch.decode(options) else { return nil }
    for path in removed ?? [] {
      guard let edit = JSONEdit(path: path, value: nil) else {
        options.mistake("remove", "\"\(path)\" names no member", expected: JSONEdit.expectedPath)
        return nil
      }
      edits.append(edit)
    }
    for member in set?.members ?? [] {
      guard let edit = JSONEdit(path: member.key, value: member.value.json) else {
        options.diagnostics.error(
          at: member.keyLocation, "\"\(member.key)\" names no member", expected: JSONEdit.expectedPath)
        return nil
      }
      edits.append(edit)
    }
    if edits.isEmpty {
      if !options.has("set"), !options.has("remove") {
        options.mistake("fault", "an editMessage fault changes nothing", expected: "\"set\" or \"remove\" beside it")
      } else {
        options.mistake(options.has("set") ? "set" : "remove", "nothing is named to be changed", expected: "a member")
      }
      return nil
    }
    self.init(edits: edits, match: match)
  }

  public var hooks: FaultHooks { [.frames, .messages] }

  public func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter? {
    Filter(edits, MessageMatcher(match, random: scope.random(direction)))
  }

  /// @unchecked: confined to its connection's loop.
  private final class Filter: FrameFilter, @unchecked Sendable {
    private let edits: [JSONEdit]
    private let matcher: MessageMatcher
    init(_ edits: [JSONEdit], _ matcher: MessageMatcher) {
      self.edits = edits
      self.matcher = matcher
    }

    override var wantsMessages: Bool { true }
    override func message(_ message: WireMessage, at now: Instant) -> MessageDecision {
      guard message.isText, matcher.takes(message) else { return .pass }
      var payload = message.payload
      for edit in edits { edit.apply(to: &payload) }
      return payload == message.payload ? .pass : .replace(payload)
    }
  }
}
