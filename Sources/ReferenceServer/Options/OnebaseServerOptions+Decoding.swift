import Core
import JSON

extension OnebaseServerOptions {
  /// Reads the `embedded: { … }` section of a scenario's target; mistakes go to `diagnostics`, and what is wrong keeps
  /// its default.
  public static func decode(_ embedded: LocatedValue, _ diagnostics: Diagnostics) -> OnebaseServerOptions {
    let section = SectionDecoder(embedded, what: "an embedded server", diagnostics: diagnostics)
    var options = OnebaseServerOptions()
    options.readTimings(section)
    options.readTokens(section)
    options.readMisbehaviour(section)
    if let limits = section.section("limits", what: "an embedded server's limits") { options.limits.read(limits) }
    if let path = section.string("path") {
      if path.hasPrefix("/") {
        options.path = path
      } else {
        section.mistake(
          "path", "the path \"\(path)\" does not start with a slash", expected: "a path such as /api/sync")
      }
    }
    options.devMode = section.bool("devMode") ?? options.devMode
    section.finish()
    return options
  }

  private mutating func readTimings(_ section: SectionDecoder) {
    // `false` stands for "never", which no duration can say.
    if section.value("idleTimeout")?.kind == .bool(false) {
      idleTimeout = nil
    } else if let timeout = section.duration("idleTimeout", in: .milliseconds(10)...SectionDecoder.longest) {
      idleTimeout = timeout
    }
    delay = section.duration("delay", in: .zero ... .seconds(3600)) ?? delay
    freezeAt = section.duration("freezeAt")
    freezeFor = section.duration("freezeFor") ?? freezeFor
    if section.has("freezeAt") != section.has("freezeFor") {
      let present = section.has("freezeAt") ? "freezeAt" : "freezeFor"
      section.mistake(present, "`\(present)` stands alone", expected: "freezeAt and freezeFor together")
    }
    deployAt = section.duration("deployAt")
  }

  private mutating func readTokens(_ section: SectionDecoder) {
    tokenConventions = section.bool("tokenConventions") ?? tokenConventions
    guard let table = section.object("tokens") else { return }
    for member in table.members ?? [] {
      let entry = SectionDecoder(member.value, what: "a token's identity", diagnostics: section.diagnostics)
      let subject = entry.string("subject", required: true)
      let email = entry.string("email")
      entry.finish()
      if let subject { tokens[member.key] = OnebaseIdentity(subject: subject, email: email) }
    }
  }

  private mutating func readMisbehaviour(_ section: SectionDecoder) {
    let names = Misbehaviour.allCases.map(\.rawValue)
    for element in section.array("misbehave") ?? [] {
      if let text = element.string, let known = Misbehaviour(rawValue: text) {
        misbehave.insert(known)
      } else {
        section.diagnostics.error(
          at: element.location, "\(element.summary) is no misbehaviour of the server",
          expected: "one of " + names.joined(separator: ", "),
          suggestion: element.string.flatMap { Suggestion.nearest(to: $0, among: names) })
      }
    }
  }
}

extension OnebaseServerOptions.Limits {
  fileprivate mutating func read(_ section: SectionDecoder) {
    notesPerRoom = section.integer("notesPerRoom", in: 1...10_000_000) ?? notesPerRoom
    storedBytes = section.size("storedBytes", in: 1024...(1 << 40)) ?? storedBytes
    noteBytes = section.size("noteBytes", in: 1...(1 << 24)) ?? noteBytes
    rooms = section.integer("rooms", in: 1...10_000_000) ?? rooms
    subscriptions = section.integer("subscriptions", in: 1...1_000_000) ?? subscriptions
    argumentBytes = section.size("argumentBytes", in: 2...(1 << 24)) ?? argumentBytes
    messageBytes = section.size("messageBytes", in: 64...(1 << 24)) ?? messageBytes
    delayedMessages = section.integer("delayedMessages", in: 1...10_000_000) ?? delayedMessages
    section.finish()
  }
}
