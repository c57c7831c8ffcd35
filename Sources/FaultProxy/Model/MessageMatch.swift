public import Core
import JSON

/// Which messages a fault is about: all that have every one of the marks given.
public struct MessageMatch: Hashable, Sendable {
  /// What a message is on the wire.
  public enum Opcode: String, CaseIterable, Hashable, Sendable {
    case text
    case binary
    case ping
    case pong
    case close

    public var isControl: Bool { self != .text && self != .binary }
  }

  /// Nil: text and binary messages.
  public var opcode: Opcode?
  /// The member `type` of a JSON message.
  public var type: String?
  /// The member `event`; the fourth element of an array message.
  public var event: String?
  /// The member `path`, else `topic`; the third element of an array message.
  public var path: String?
  /// The member `id`, `requestId` or `ref`, a number or a string; the second element of an array message.
  public var id: String?
  /// Of the messages that have these marks, each nth on a connection: the nth, the 2nth, …
  public var every: Int
  /// Of those, this share, drawn from the seed; 1 for all.
  public var share: Double
  /// And of those, at most so many on a connection; nil for no limit.
  public var times: Int?

  public init(
    opcode: Opcode? = nil, type: String? = nil, event: String? = nil, path: String? = nil, id: String? = nil,
    every: Int = 1, share: Double = 1, times: Int? = nil
  ) {
    self.opcode = opcode
    self.type = type
    self.event = event
    self.path = path
    self.id = id
    self.every = max(1, every)
    self.share = share
    self.times = times
  }

  /// Whether it asks for something inside the payload.
  var readsPayload: Bool { type != nil || event != nil || path != nil || id != nil }
  /// Whether data messages can match.
  public var matchesData: Bool { opcode.map { !$0.isControl } ?? true }

  /// Whether the message has the marks. What is no JSON has none inside.
  public func hasMarks(_ message: WireMessage) -> Bool {
    if let opcode, opcode != (message.isText ? .text : .binary) { return false }
    return !readsPayload || message.payload.withUnsafeBytes(payloadMatches)
  }

  private func payloadMatches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var found = Found()
    let isObject = TopLevelScanner.scanObject(bytes) { found.take($0, bytes, self) } == .ok
    if !isObject {
      found = Found()
      var position = 0
      let result = TopLevelScanner.scanArray(bytes) { element in
        found.take(element, at: position, bytes, self)
        position += 1
      }
      guard result == .ok else { return false }
    }
    return found.type ?? (type == nil) && found.event ?? (event == nil) && found.path ?? found.topic ?? (path == nil)
      && found.id ?? (id == nil)
  }

  /// Whether each mark asked for was found and is the wanted one; nil: not found.
  private struct Found {
    var type: Bool?
    var event: Bool?
    var path: Bool?
    var topic: Bool?
    var id: Bool?

    mutating func take(_ member: ScannedMember, _ bytes: UnsafeRawBufferPointer, _ match: MessageMatch) {
      guard let key = JSONText.string(of: bytes[member.key]) else { return }
      func equals(_ wanted: String?) -> Bool? { wanted.map { text(bytes[member.value], member.kind) == $0 } }
      switch key {
      case "type": type = equals(match.type)
      case "event": event = equals(match.event)
      case "path": path = equals(match.path)
      case "topic": topic = equals(match.path)
      case "id", "requestId", "ref": if id != true { id = equals(match.id) }
      default: break
      }
    }

    /// The array form `[join_ref, ref, topic, event, payload]`.
    mutating func take(
      _ element: ScannedElement, at position: Int, _ bytes: UnsafeRawBufferPointer, _ match: MessageMatch
    ) {
      func equals(_ wanted: String?) -> Bool? { wanted.map { text(bytes[element.value], element.kind) == $0 } }
      switch position {
      case 1: id = equals(match.id)
      case 2: path = equals(match.path)
      case 3: event = equals(match.event)
      default: break
      }
    }

    private func text(_ raw: UnsafeRawBufferPointer, _ kind: JSONKind) -> String? {
      switch kind {
      case .string: JSONText.string(of: raw)
      case .number: String(decoding: raw, as: UTF8.self)
      default: nil
      }
    }
  }
}

/// Counts the messages of one connection, in one direction or both, and picks those that a match is about.
///
/// @unchecked: confined to its connection's loop.
public final class MessageMatcher: @unchecked Sendable {
  public let match: MessageMatch
  private var random: SeededRandom
  /// Messages with the marks so far.
  public private(set) var seen = 0
  private var taken = 0

  /// - `random`: the fault's draws for this connection, `FaultScope.random`.
  public init(_ match: MessageMatch, random: SeededRandom) {
    self.match = match
    self.random = random
  }

  /// Whether the fault is about this data message; counts it.
  public func takes(_ message: WireMessage) -> Bool { match.hasMarks(message) && choose() }

  /// Whether it is about this control frame, of which the header alone is known; counts it.
  public func takes(control opcode: MessageMatch.Opcode?) -> Bool {
    guard let opcode, match.opcode == opcode, !match.readsPayload else { return false }
    return choose()
  }

  private func choose() -> Bool {
    if let times = match.times, taken >= times { return false }
    seen &+= 1
    guard seen % match.every == 0 else { return false }
    if match.share < 1, random.unit() >= match.share { return false }
    taken &+= 1
    return true
  }
}
