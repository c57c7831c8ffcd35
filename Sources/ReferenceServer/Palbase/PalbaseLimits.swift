import JSON

/// What a palbase project holds its clients to. The platform sets them and the project may lower them.
public struct PalbaseLimits: Hashable, Sendable {
  /// Connections of the project at once.
  public var connections = 10_000
  /// Broadcasts a second of one connection, and of the project.
  public var broadcastsPerSecond = 100
  public var projectBroadcastsPerSecond = 10_000
  /// State writes (sets and deletes) a second of one connection, and of the project.
  public var stateWritesPerSecond = 100
  public var projectStateWritesPerSecond = 10_000
  /// Joins a second of one connection.
  public var joinsPerSecond = 100
  /// Channels of one connection.
  public var channelsPerConnection = 100
  /// Keys and values of one channel's state, in bytes of JSON.
  public var stateBytes = 256 * 1024

  public init() {}

  /// The names that `PUT /realtime/limits` and `embedded.limits` use.
  static var names: [(String, WritableKeyPath<PalbaseLimits, Int>)] {
    [
      ("connections", \.connections), ("broadcasts_per_second", \.broadcastsPerSecond),
      ("project_broadcasts_per_second", \.projectBroadcastsPerSecond),
      ("state_writes_per_second", \.stateWritesPerSecond),
      ("project_state_writes_per_second", \.projectStateWritesPerSecond), ("joins_per_second", \.joinsPerSecond),
      ("channels_per_connection", \.channelsPerConnection), ("state_bytes", \.stateBytes),
    ]
  }

  /// By their names.
  var json: JSONValue { .object(JSONObject(Self.names.map { ($0, .integer(Int64(self[keyPath: $1]))) })) }

  /// These limits with those that `json` names in their place, none above `ceiling`; or what is wrong with it.
  func lowered(by json: JSONValue, ceiling: PalbaseLimits) -> Result<PalbaseLimits, PalbaseMistake> {
    guard let members = json.object?.members else {
      return .failure(PalbaseMistake("limits are an object of whole numbers, such as {\"connections\": 100}"))
    }
    var limits = self
    for member in members {
      guard let path = Self.names.first(where: { $0.0 == member.key })?.1 else {
        let known = Self.names.map(\.0).joined(separator: ", ")
        return .failure(PalbaseMistake("there is no limit \"\(member.key.prefix(40))\"; expected one of \(known)"))
      }
      guard let number = member.value.integer, number >= 0, let value = Int(exactly: number) else {
        return .failure(PalbaseMistake("the limit \"\(member.key)\" is a whole number of at least 0"))
      }
      guard value <= ceiling[keyPath: path] else {
        return .failure(
          PalbaseMistake("the limit \"\(member.key)\" may be lowered, not raised: at most \(ceiling[keyPath: path])"))
      }
      limits[keyPath: path] = value
    }
    return .success(limits)
  }
}

/// What is wrong with a declaration or a limit, for people.
struct PalbaseMistake: Error, Hashable, Sendable, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
