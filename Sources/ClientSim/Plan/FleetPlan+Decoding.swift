import Core
import JSON
import Metrics
import Protocols

/// What the fleets' section needs to know of the rest of a scenario.
public struct FleetDecoding {
  public var protocolName: ProtocolName
  /// What fleets without a `token` of their own use.
  public var token: TokenSource
  /// Whether tokens may stand in the scenario, as for embedded servers.
  public var allowsLiteralTokens: Bool
  public var environment: (String) -> String?

  public init(
    protocolName: ProtocolName, token: TokenSource = .none, allowsLiteralTokens: Bool = false,
    environment: @escaping (String) -> String? = { _ in nil }
  ) {
    self.protocolName = protocolName
    self.token = token
    self.allowsLiteralTokens = allowsLiteralTokens
    self.environment = environment
  }
}

extension FleetPlan {
  public static let mostClients = 1_000_000

  /// Decodes `fleets: […]`; every mistake is reported, and what could be read is answered all the same.
  public static func decode(
    _ fleets: LocatedValue?, _ options: FleetDecoding, diagnostics: Diagnostics
  ) -> [FleetPlan] {
    guard let fleets, fleets.kind != .invalid else { return [] }
    guard let elements = fleets.elements, !elements.isEmpty else {
      diagnostics.error(
        at: fleets.location, "\"fleets\" cannot be \(fleets.summary)", expected: "an array of one or more fleets")
      return []
    }
    let sections = elements.map { SectionDecoder($0, what: "a fleet", diagnostics: diagnostics) }
    // Calls name the subscriptions that show them, of whatever fleet; so all subscriptions come first.
    let subscriptions = sections.map { SubscriptionPlan.decode($0, options) }
    let all = subscriptions.flatMap { $0 }
    var total = 0
    var names: [String] = []
    return sections.enumerated().map { ordinal, section in
      let plan = decode(
        section, ordinal, ClientID(UInt32(min(total, mostClients))), subscriptions[ordinal], all, options)
      if names.contains(plan.name) {
        section.mistake("name", "two fleets are called \"\(plan.name)\"", expected: "a name of its own for each fleet")
      }
      if plan.name == "all" {
        section.mistake("name", "\"all\" means every fleet", expected: "another name")
      }
      names.append(plan.name)
      total += plan.clients
      if total > mostClients, total - plan.clients <= mostClients {
        section.mistake(
          "clients", "with this fleet the scenario has \(total) clients",
          expected: "at most \(mostClients) in all fleets")
      }
      return plan
    }
  }

  private static func decode(
    _ section: SectionDecoder, _ ordinal: Int, _ first: ClientID, _ subscriptions: [SubscriptionPlan],
    _ all: [SubscriptionPlan], _ options: FleetDecoding
  ) -> FleetPlan {
    let name = section.string("name", required: true) ?? ""
    if name.isEmpty, section.has("name") { section.mistake("name", "a fleet's name is empty", expected: "a name") }
    let isPalbase = options.protocolName == .palbase
    if isPalbase, section.has("calls") {
      section.mistake("calls", "palbase clients make no calls", expected: "channels")
    }
    let plan = FleetPlan(
      name: name.isEmpty ? "fleet-\(ordinal)" : name, ordinal: ordinal, first: first,
      clients: section.integer("clients", in: 1...mostClients, required: true) ?? 1,
      ramp: section.duration("ramp") ?? .zero, subscriptions: subscriptions,
      calls: isPalbase ? [] : CallPlan.decode(section, all, options),
      channels: isPalbase ? Template.decodeChannels(section) : [],
      reconnect: ReconnectPolicy.decode(section.value("reconnect"), section.diagnostics)
        ?? (isPalbase ? .palbase : .onebase),
      ping: section.duration("ping", in: .milliseconds(100)...SectionDecoder.longest)
        ?? (isPalbase ? PalbaseSession.defaultHeartbeat : defaultPing),
      deadPing: section.choice("deadPing") ?? .close,
      connectTimeout: section.duration("connectTimeout", in: .milliseconds(1)...SectionDecoder.longest)
        ?? defaultConnectTimeout,
      token: TokenSource.decode(section.value("token"), options, section.diagnostics) ?? options.token,
      behave: Behaviour.decode(section),
      cacheLimit: section.integer("cache", in: 0...100_000) ?? defaultCacheLimit,
      outboxLimit: section.integer("outbox", in: 0...1_000_000) ?? defaultOutboxLimit,
      startsOffline: section.bool("offline") ?? false)
    section.finish()
    return plan
  }
}

extension SubscriptionPlan {
  static func decode(_ fleet: SectionDecoder, _ options: FleetDecoding) -> [SubscriptionPlan] {
    let sections = fleet.sections("subscribe", what: "a subscription")
    if options.protocolName != .onebase, fleet.has("subscribe") {
      fleet.mistake("subscribe", "the \(options.protocolName.rawValue) protocol has no subscriptions")
    }
    return sections.map { section in
      let path = section.string("path", required: true) ?? ""
      let arguments = ArgumentsTemplate.decode(section, "args")
      if arguments.hasMarker {
        section.mistake(
          "args", "a subscription has no {marker}", expected: "{client}, {client % N} or {random LOW HIGH}")
      }
      let audit = section.section("audit", what: "an audit").map { audit in
        defer { audit.finish() }
        let arguments = audit.has("args") ? ArgumentsTemplate.decode(audit, "args") : nil
        if arguments?.isConstantPerClient == false {
          audit.mistake(
            "args", "an audit asks for what the subscription shows",
            expected: "{client} or {client % N}, or no args to take the subscription's")
        }
        return AuditPlan(
          path: audit.string("path", required: true) ?? path, arguments: arguments,
          paged: audit.bool("paged") ?? false)
      }
      section.finish()
      return SubscriptionPlan(path: path, arguments: arguments, audit: audit)
    }
  }
}

extension Template {
  /// Decodes `channels: ["room:{client % 20}"]`.
  static func decodeChannels(_ fleet: SectionDecoder) -> [Template] {
    (fleet.array("channels") ?? []).compactMap { element in
      guard let text = element.string else {
        if element.kind != .invalid {
          fleet.diagnostics.error(
            at: element.location, "a channel cannot be \(element.summary)",
            expected: "a name such as \"room:{client % 20}\"")
        }
        return nil
      }
      do throws(Template.Mistake) { return try Template(text) } catch {
        fleet.diagnostics.error(
          at: element.location, error.message, expected: error.expected, suggestion: error.suggestion)
        return nil
      }
    }
  }
}

extension ArgumentsTemplate {
  static func decode(_ section: SectionDecoder, _ key: String) -> ArgumentsTemplate {
    section.object(key).map { ArgumentsTemplate($0, diagnostics: section.diagnostics) } ?? ArgumentsTemplate()
  }
}

extension Behaviour {
  static func decode(_ section: SectionDecoder) -> Set<Behaviour> {
    var found: Set<Behaviour> = []
    for element in section.array("behave") ?? [] {
      guard let name = element.string, let behaviour = Behaviour(rawValue: name) else {
        section.diagnostics.error(
          at: element.location, "\"behave\" of a fleet cannot hold \(element.summary)",
          expected: "names such as "
            + allCases.filter(available.contains).map { "\"\($0.rawValue)\"" }.joined(separator: ", "),
          suggestion: element.string.flatMap { Suggestion.nearest(to: $0, among: allCases.map(\.rawValue)) })
        continue
      }
      if !available.contains(behaviour) {
        section.diagnostics.error(at: element.location, "\"\(name)\" is not available yet")
      }
      found.insert(behaviour)
    }
    return found
  }
}

extension TokenSource {
  /// Decodes a `token`: `{ env: NAME }`, null, or (embedded servers only) a template.
  public static func decode(_ value: LocatedValue?, _ options: FleetDecoding, _ diagnostics: Diagnostics)
    -> TokenSource?
  {
    guard let value, value.kind != .invalid else { return nil }
    switch value.kind {
    case .null: return TokenSource.none
    case .string(let text) where options.allowsLiteralTokens:
      do throws(Template.Mistake) { return .template(try Template(text)) } catch {
        diagnostics.error(at: value.location, error.message, expected: error.expected, suggestion: error.suggestion)
        return nil
      }
    case .object:
      let section = SectionDecoder(value, what: "a token", diagnostics: diagnostics)
      defer { section.finish() }
      guard let name = section.string("env", required: true) else { return nil }
      guard let secret = options.environment(name), !secret.isEmpty else {
        section.mistake("env", "the environment has no \(name)", expected: "a token in the variable \(name)")
        return nil
      }
      return .secret(secret)
    default:
      diagnostics.error(
        at: value.location, "a token cannot stand in a scenario", expected: "{ env: \"NAME\" }, or null to be anonymous"
      )
      return nil
    }
  }
}
