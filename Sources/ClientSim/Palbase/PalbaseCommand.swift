import Core
import Protocols

/// What a palbase client is told to do, beyond what any client can be told.
public enum PalbaseCommand: Sendable {
  /// Wants a channel; opens the socket if it is the first.
  case join(String)
  /// Wants it no longer; closes the socket if it was the last.
  case leave(String)
  case broadcast(BroadcastRequest)
  /// Writes an entry; `value` is JSON text.
  case set(topic: String, key: String, value: [UInt8], life: PalbaseLife)
  /// Removes an entry that this membership wrote.
  case deleteOwn(topic: String, key: String)
  /// The session was refreshed: the new token goes to every joined channel.
  case refreshToken(String)
  /// The session ended, which is as if the user had signed out.
  case endSession
}

/// One broadcast that is to be made.
public struct BroadcastRequest: Sendable {
  public var topic: String
  public var event: String
  /// JSON text of one object.
  public var payload: [UInt8]
  /// What it can be found by at the other members.
  public var marker: Marker?
  /// When it was meant to be made, by the schedule.
  public var intended: Instant

  public init(topic: String, event: String, payload: [UInt8], marker: Marker? = nil, intended: Instant) {
    self.topic = topic
    self.event = event
    self.payload = payload
    self.marker = marker
    self.intended = intended
  }
}
