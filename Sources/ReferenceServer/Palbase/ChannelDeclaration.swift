import JSON
import Protocols

/// What a member may do on a channel.
public struct ChannelRights: Hashable, Sendable {
  public var publish: Bool
  public var stateRead: Bool
  public var stateWrite: Bool

  public init(publish: Bool, stateRead: Bool, stateWrite: Bool) {
    self.publish = publish
    self.stateRead = stateRead
    self.stateWrite = stateWrite
  }

  public static let all = ChannelRights(publish: true, stateRead: true, stateWrite: true)
  /// What the platform's own channels give.
  static let listenOnly = ChannelRights(publish: false, stateRead: true, stateWrite: false)
}

/// Channels that a project declares: a pattern of segments, of which those in braces stand for any text, and who joins.
public struct ChannelDeclaration: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The one segment in braces is the joining user, who may do everything.
    case owner
    /// Any signed-in user, with the declared rights.
    case `public`
  }

  public var pattern: String
  public var kind: Kind
  public var rights: ChannelRights
  /// Nil for a segment in braces.
  private let segments: [String?]

  /// Reads `{"pattern":…,"kind":…,"publish":…,"state_read":…,"state_write":…}`; rights that are left out are not given.
  static func parse(_ json: JSONValue) -> Result<ChannelDeclaration, PalbaseMistake> {
    guard let object = json.object, let pattern = object["pattern"]?.string else {
      return .failure(PalbaseMistake("a channel is declared by an object with a `pattern`, such as \"room:{id}\""))
    }
    guard let kind = object["kind"]?.string.flatMap(Kind.init(rawValue:)) else {
      return .failure(PalbaseMistake("the channel \"\(pattern.prefix(80))\" needs a `kind`, \"owner\" or \"public\""))
    }
    var rights = ChannelRights(publish: false, stateRead: false, stateWrite: false)
    for member in object.members where member.key != "pattern" && member.key != "kind" {
      guard let flag = member.value.bool else {
        return .failure(PalbaseMistake("`\(member.key.prefix(40))` of \"\(pattern.prefix(80))\" is true or false"))
      }
      switch member.key {
      case "publish": rights.publish = flag
      case "state_read": rights.stateRead = flag
      case "state_write": rights.stateWrite = flag
      default:
        return .failure(
          PalbaseMistake("a channel has no \"\(member.key.prefix(40))\"; expected publish, state_read, state_write"))
      }
    }
    return make(pattern, kind, rights)
  }

  static func make(
    _ pattern: String, _ kind: Kind, _ rights: ChannelRights = .all
  ) -> Result<ChannelDeclaration, PalbaseMistake> {
    if let mistake = PalbaseTopic.mistake(pattern) { return .failure(PalbaseMistake(mistake)) }
    if PalbaseTopic.isFlags(pattern) {
      return .failure(PalbaseMistake("the names flags:… are the platform's, and no declaration can claim them"))
    }
    var segments: [String?] = []
    for segment in PalbaseTopic.segments(pattern) {
      let isVariable = segment.hasPrefix("{") && segment.hasSuffix("}") && segment.utf8.count > 2
      if !isVariable, segment.contains("{") || segment.contains("}") {
        return .failure(PalbaseMistake("braces in \"\(pattern)\" hold a whole segment, such as room:{id}"))
      }
      segments.append(isVariable ? nil : String(segment))
    }
    if kind == .owner, segments.count(where: { $0 == nil }) != 1 {
      return .failure(PalbaseMistake("the owner channel \"\(pattern)\" needs exactly one segment in braces, its user"))
    }
    return .success(
      ChannelDeclaration(pattern: pattern, kind: kind, rights: kind == .owner ? .all : rights, segments: segments))
  }

  private init(pattern: String, kind: Kind, rights: ChannelRights, segments: [String?]) {
    self.pattern = pattern
    self.kind = kind
    self.rights = rights
    self.segments = segments
  }

  /// What the user may do on a channel; nil if the pattern does not match it, `.some(nil)` if it matches and keeps the
  /// user out.
  func rights(_ topic: [Substring], subject: String) -> ChannelRights?? {
    guard topic.count == segments.count else { return nil }
    var owner: Substring?
    for (segment, text) in zip(segments, topic) {
      if let segment {
        guard segment.utf8.elementsEqual(text.utf8) else { return nil }
      } else {
        owner = text
      }
    }
    switch kind {
    case .public: return rights
    case .owner: return .some(owner.map { $0.utf8.elementsEqual(subject.utf8) } == true ? rights : nil)
    }
  }
}

/// Who may join which channel.
struct ChannelRules {
  /// The project's own name, which its flag channels carry.
  let projectRef: String
  var declarations: [ChannelDeclaration]

  /// What the user may do on a channel; nil for nothing at all. Of declarations the first that matches counts.
  func rights(topic: String, subject: String) -> ChannelRights? {
    let segments = PalbaseTopic.segments(topic)
    if PalbaseTopic.isFlags(topic) {
      guard segments.count >= 2, segments.count <= 3, segments[1].utf8.elementsEqual(projectRef.utf8) else {
        return nil
      }
      if segments.count == 3, !segments[2].utf8.elementsEqual(subject.utf8) { return nil }
      return .listenOnly
    }
    for declaration in declarations {
      if let rights = declaration.rights(segments, subject: subject) { return rights }
    }
    return nil
  }
}
