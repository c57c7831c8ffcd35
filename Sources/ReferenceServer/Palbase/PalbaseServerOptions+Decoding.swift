import Core
import JSON
import Protocols

extension PalbaseServerOptions {
  /// Reads the `embedded: { … }` section of a scenario's target; mistakes go to `diagnostics`, and what is wrong keeps
  /// its default. `wire` comes from the section beside it.
  public static func decode(
    _ embedded: LocatedValue, wire: PalbaseWire = PalbaseWire(), _ diagnostics: Diagnostics
  ) -> PalbaseServerOptions {
    let section = SectionDecoder(embedded, what: "an embedded palbase server", diagnostics: diagnostics)
    var options = PalbaseServerOptions()
    options.wire = wire
    options.readPlaces(section)
    options.readTimings(section)
    options.readTokens(section)
    options.readChannels(section)
    options.readLimits(section)
    options.messageBytes = section.size("messageBytes", in: 64...(1 << 24)) ?? options.messageBytes
    options.totalStateBytes = section.size("totalStateBytes", in: 0...(1 << 40)) ?? options.totalStateBytes
    section.finish()
    return options
  }

  private mutating func readPlaces(_ section: SectionDecoder) {
    path = Self.path("path", section) ?? path
    adminPath = Self.path("adminPath", section) ?? adminPath
    projectRef = section.string("projectRef") ?? projectRef
    secretKey = section.string("secretKey") ?? secretKey
    if secretKey.isEmpty { section.mistake("secretKey", "an empty secret key keeps nobody out", expected: "a text") }
    if projectRef.isEmpty || projectRef.contains(":") {
      section.mistake("projectRef", "a project's ref is one segment of a channel's name", expected: "text, no colon")
    }
  }

  private static func path(_ key: String, _ section: SectionDecoder) -> String? {
    guard let path = section.string(key) else { return nil }
    if path.hasPrefix("/") { return path }
    section.mistake(
      key, "the path \"\(path)\" does not start with a slash", expected: "a path such as /v1/realtime/websocket")
    return nil
  }

  private mutating func readTimings(_ section: SectionDecoder) {
    // `false` stands for "never", which no duration can say.
    if section.value("silenceTimeout")?.kind == .bool(false) {
      silenceTimeout = nil
    } else if let timeout = section.duration("silenceTimeout", in: .milliseconds(10)...SectionDecoder.longest) {
      silenceTimeout = timeout
    }
    isQuotaUsedUp = section.bool("quotaUsedUp") ?? isQuotaUsedUp
    quotaUsedUpAt = section.duration("quotaUsedUpAt")
    freezeAt = section.duration("freezeAt")
    freezeFor = section.duration("freezeFor") ?? freezeFor
    if section.has("freezeAt") != section.has("freezeFor") {
      let present = section.has("freezeAt") ? "freezeAt" : "freezeFor"
      section.mistake(present, "`\(present)` stands alone", expected: "freezeAt and freezeFor together")
    }
  }

  private mutating func readTokens(_ section: SectionDecoder) {
    tokenConventions = section.bool("tokenConventions") ?? tokenConventions
    guard let table = section.object("tokens") else { return }
    for member in table.members ?? [] {
      let entry = SectionDecoder(member.value, what: "a token's identity", diagnostics: section.diagnostics)
      let subject = entry.string("subject", required: true)
      entry.finish()
      if let subject { tokens[member.key] = OnebaseIdentity(subject: subject) }
    }
  }

  private mutating func readChannels(_ section: SectionDecoder) {
    guard let list = section.array("channels") else { return }
    channels = list.compactMap { element in
      switch ChannelDeclaration.parse(element.json) {
      case .success(let declaration): return declaration
      case .failure(let mistake):
        section.diagnostics.error(
          at: element.location, mistake.description,
          expected: "{ pattern: \"room:{id}\", kind: \"public\", publish: true, state_read: true, state_write: true }")
        return nil
      }
    }
  }

  private mutating func readLimits(_ section: SectionDecoder) {
    guard let limits = section.section("limits", what: "an embedded palbase server's limits") else { return }
    for (name, path) in PalbaseLimits.names where name != "state_bytes" {
      self.limits[keyPath: path] = limits.integer(name, in: 0...1_000_000_000) ?? self.limits[keyPath: path]
    }
    self.limits.stateBytes = limits.size("state_bytes", in: 0...(1 << 30)) ?? self.limits.stateBytes
    limits.finish()
  }
}
