import JSON
import Protocols

/// The calls of the project's own server: declare channels, lower limits, broadcast.
extension PalbaseHub {
  /// The answer to a server-side call: a status, and a JSON body.
  public struct Answer: Equatable, Sendable {
    public var status: Int
    public var body: JSONValue

    static func ok(_ body: JSONValue) -> Answer { Answer(status: 200, body: body) }
    static func mistake(_ status: Int, _ error: String, _ message: String) -> Answer {
      Answer(status: status, body: ["error": .string(error), "message": .string(message)])
    }
  }

  /// Answers a call. `path` is what follows the common start: `/channels`, `/limits` or `/broadcast`.
  public func call(
    method: String, path: String, key: String?, body: [UInt8], into actions: inout [HubAction]
  ) -> Answer {
    let allowed: [String]
    switch path {
    case "/channels", "/limits": allowed = ["GET", "PUT"]
    case "/broadcast": allowed = ["POST"]
    default: return .mistake(404, "not_found", "there is nothing at this path")
    }
    guard key.map({ $0.utf8.elementsEqual(options.secretKey.utf8) }) == true else {
      return .mistake(401, "unauthorized", "this call needs the project's secret key")
    }
    guard allowed.contains(method) else {
      return .mistake(405, "method_not_allowed", "expected \(allowed.joined(separator: " or "))")
    }
    if method == "GET" { return .ok(path == "/limits" ? limits.json : ["channels": declared]) }
    let json: JSONValue
    do throws(JSONSyntaxError) {
      json = try JSONValue.parse(body)
    } catch { return .mistake(400, "invalid_json", "\(error)") }
    switch path {
    case "/channels": return declare(json)
    case "/limits": return lower(json)
    default: return broadcast(json, &actions)
    }
  }

  private var declared: JSONValue {
    .array(
      rules.declarations.map { declaration in
        [
          "pattern": .string(declaration.pattern), "kind": .string(declaration.kind.rawValue),
          "publish": .bool(declaration.rights.publish), "state_read": .bool(declaration.rights.stateRead),
          "state_write": .bool(declaration.rights.stateWrite),
        ]
      })
  }

  /// Declares the project's channels in place of those declared before. Memberships that exist stay.
  private func declare(_ json: JSONValue) -> Answer {
    guard let list = json["channels"]?.array else {
      return .mistake(422, "invalid_channels", "expected {\"channels\": [ … ]}")
    }
    var declarations: [ChannelDeclaration] = []
    for element in list {
      switch ChannelDeclaration.parse(element) {
      case .success(let declaration): declarations.append(declaration)
      case .failure(let mistake): return .mistake(422, "invalid_channels", mistake.description)
      }
    }
    rules.declarations = declarations
    return .ok(["channels": declared])
  }

  private func lower(_ json: JSONValue) -> Answer {
    switch limits.lowered(by: json, ceiling: options.limits) {
    case .failure(let mistake): return .mistake(422, "invalid_limits", mistake.description)
    case .success(let lowered):
      limits = lowered
      return .ok(limits.json)
    }
  }

  private func broadcast(_ json: JSONValue, _ actions: inout [HubAction]) -> Answer {
    guard let topic = json["topic"]?.string, let event = json["event"]?.string else {
      return .mistake(422, "invalid_broadcast", "expected {\"topic\": …, \"event\": …, \"payload\": { … }}")
    }
    let payload = json["payload"] ?? [:]
    if payload.object == nil { return .mistake(422, "invalid_broadcast", "the payload is an object") }
    if let mistake = PalbaseTopic.mistake(topic) { return .mistake(422, PalbaseReason.invalidTopic.rawValue, mistake) }
    let members = broadcast(topic: topic, event: event, payload: payload.encoded(), into: &actions)
    return .ok(["members": .integer(Int64(members))])
  }
}
