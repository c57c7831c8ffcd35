import Core
import JSON
import Protocols
import WebSocket

/// One channel that somebody is on, or that has a state.
final class PalbaseRoom {
  struct Member {
    let slot: Int
    let connection: UInt64
    var subject: String
    var rights: ChannelRights
  }

  let topic: String
  /// The topic as a JSON string with its quotes.
  let quoted: [UInt8]
  var members: [Member] = []
  var state = RoomState()
  /// The whole state's frames for members who own nothing of it; gone with each change.
  private var stateFrames: [PalbaseVersion: [UInt8]] = [:]
  private var stateFramesVersion: Int64 = -1

  init(topic: String) {
    self.topic = topic
    quoted = PalbaseText.quoted(topic)
  }

  /// Nobody is on it and nothing is kept.
  var isEmpty: Bool { members.isEmpty && state.entries.isEmpty }

  /// The frame of the whole state for a member.
  func stateFrame(_ version: PalbaseVersion, event: String, for member: Member) -> [UInt8] {
    if state.hasOwn(of: member.connection, subject: member.subject) {
      return PalbaseFrames.make(version, quoted, event, capacity: state.bytes) {
        state.write(for: (member.connection, member.subject), into: &$0)
      }
    }
    if stateFramesVersion != state.version {
      stateFrames = [:]
      stateFramesVersion = state.version
    }
    if let frame = stateFrames[version] { return frame }
    let frame = PalbaseFrames.make(version, quoted, event, capacity: state.bytes) { state.write(for: nil, into: &$0) }
    stateFrames[version] = frame
    return frame
  }
}

/// The frames of one message to many: encoded once for each version of the serializer that somebody speaks.
struct PalbaseFrames {
  private let topic: [UInt8]
  private let event: String
  private let payload: [UInt8]
  private var object: [UInt8]?
  private var array: [UInt8]?

  init(topic: [UInt8], event: String, payload: (inout [UInt8]) -> Void) {
    self.topic = topic
    self.event = event
    var bytes: [UInt8] = []
    payload(&bytes)
    self.payload = bytes
  }

  mutating func frame(_ version: PalbaseVersion) -> [UInt8] {
    if let known = version == .object ? object : array { return known }
    let frame = Self.make(version, topic, event, capacity: payload.count) { $0 += payload }
    if version == .object { object = frame } else { array = frame }
    return frame
  }

  /// A whole text frame.
  static func make(
    _ version: PalbaseVersion, _ topic: [UInt8], _ event: String, capacity: Int, _ payload: (inout [UInt8]) -> Void
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(capacity + topic.count + 64)
    PalbaseText.append(version, topic: topic, event: event, to: &bytes, payload: payload)
    return WebSocketMachine.encodeServerText(bytes)
  }
}
