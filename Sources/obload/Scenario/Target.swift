import ClientSim
import Core
import JSON
import Network
import Protocols
import ReferenceServer

/// What a scenario runs against.
struct Target {
  enum Place {
    /// A server of ours in the same process.
    case embedded(OnebaseServerOptions)
    case embeddedEcho(EchoServerOptions)
    case embeddedPalbase(PalbaseServerOptions)
    case url(TargetURL)
  }

  var protocolName: ProtocolName
  var place: Place
  /// What fleets without a token of their own use.
  var token: TokenSource
  /// The names of palbase's events.
  var wire = PalbaseWire()

  /// What reads the target's messages.
  var classifier: any MessageClassifier { protocolName.classifier(wire: wire) }

  var isEmbedded: Bool { if case .url = place { false } else { true } }

  /// For people: `embedded`, or the URL.
  var description: String { if case .url(let url) = place { url.description } else { "embedded" } }

  /// Decodes the section `target`; `extraHosts` are those of `--allow-host`.
  static func decode(
    _ value: LocatedValue?, extraHosts: [String], environment: @escaping (String) -> String?, diagnostics: Diagnostics
  ) -> Target {
    let fallback = Target(protocolName: .onebase, place: .embedded(OnebaseServerOptions()), token: .none)
    guard let value, value.kind != .invalid else { return fallback }
    let section = SectionDecoder(value, what: "a target", diagnostics: diagnostics)
    defer { section.finish() }
    let protocolName: ProtocolName = section.choice("protocol", required: true) ?? .onebase
    let wire = decodeWire(section, protocolName)
    let hosts = (section.strings("allowHosts") ?? []) + extraHosts
    let place: Place?
    switch section.exclusive(["url", "embedded"], required: true) {
    case "url": place = decodeURL(section, hosts).map(Place.url)
    case "embedded": place = decodeEmbedded(section, protocolName, wire)
    default: place = nil
    }
    let options = FleetDecoding(
      protocolName: protocolName, allowsLiteralTokens: section.has("embedded"), environment: environment)
    let token = TokenSource.decode(section.value("token"), options, diagnostics) ?? .none
    return Target(protocolName: protocolName, place: place ?? fallback.place, token: token, wire: wire)
  }

  /// Only palbase leaves names open.
  private static func decodeWire(_ section: SectionDecoder, _ protocolName: ProtocolName) -> PalbaseWire {
    guard protocolName == .palbase, let value = section.object("wire") else { return PalbaseWire() }
    return PalbaseWire.decode(value, section.diagnostics)
  }

  private static func decodeEmbedded(
    _ section: SectionDecoder, _ protocolName: ProtocolName, _ wire: PalbaseWire
  ) -> Place? {
    guard let value = section.object("embedded") else { return nil }
    switch protocolName {
    case .onebase: return .embedded(OnebaseServerOptions.decode(value, section.diagnostics))
    case .echo, .websocket: return .embeddedEcho(EchoServerOptions.decode(value, section.diagnostics))
    case .palbase, .phoenix:
      return .embeddedPalbase(PalbaseServerOptions.decode(value, wire: wire, section.diagnostics))
    }
  }

  private static func decodeURL(_ section: SectionDecoder, _ hosts: [String]) -> TargetURL? {
    guard let text = section.string("url") else { return nil }
    let url: TargetURL
    switch TargetURL.parse(text) {
    case .failure(let mistake):
      section.mistake("url", mistake.message, expected: mistake.expected)
      return nil
    case .success(let parsed): url = parsed
    }
    if !url.isLoopback, !hosts.contains(where: { $0.lowercased() == url.host.lowercased() }) {
      section.mistake(
        "url", "\"\(url.host)\" is not this machine, and load is only sent to hosts that are named",
        expected: "a loopback address, or \"\(url.host)\" in target.allowHosts or --allow-host")
    }
    return url
  }
}
