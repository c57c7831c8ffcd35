import JSON

/// How long an entry of a channel's state stays.
public enum PalbaseLife: String, CaseIterable, Hashable, Sendable {
  /// Until it is removed.
  case durable
  /// As long as its writer's connection: its presence.
  case ephemeral
}

/// One entry of a channel's state, as one member sees it.
public struct PalbaseEntry: Hashable, Sendable {
  public var value: JSONValue
  public var life: PalbaseLife
  /// Whether the member that is told wrote it.
  public var isOwn: Bool

  public init(value: JSONValue, life: PalbaseLife = .durable, isOwn: Bool = false) {
    self.value = value
    self.life = life
    self.isOwn = isOwn
  }

  /// Appends an entry whose value is JSON text already.
  public static func write(value: some Collection<UInt8>, life: PalbaseLife, isOwn: Bool, into bytes: inout [UInt8]) {
    bytes.append(json: #"{"value":"#)
    bytes.append(contentsOf: value)
    switch life {
    case .durable: bytes.append(json: #","life":"durable","own":"#)
    case .ephemeral: bytes.append(json: #","life":"ephemeral","own":"#)
    }
    bytes.append(json: isOwn ? "true}" : "false}")
  }

  /// Reads an entry; a missing `value` is null, a missing `life` durable, a missing `own` false.
  init?(_ json: JSONValue) {
    guard let object = json.object else { return nil }
    value = object["value"] ?? .null
    isOwn = object["own"]?.bool ?? false
    guard let text = object["life"] else {
      life = .durable
      return
    }
    guard let known = text.string.flatMap(PalbaseLife.init(rawValue:)) else { return nil }
    life = known
  }
}
