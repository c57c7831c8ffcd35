public import Core
public import WebSocket

/// What the frames and messages of one direction of one connection pass while a fault is on.
///
/// @unchecked: confined to its connection's loop.
open class FrameFilter: @unchecked Sendable {
  /// What becomes of a frame.
  public enum FrameDecision: Hashable, Sendable {
    case pass
    case drop
  }

  /// What becomes of a whole message.
  public enum MessageDecision: Hashable, Sendable {
    case pass
    case drop
    /// Another payload in its place, as one frame.
    case replace([UInt8])
    /// The message, then so many copies of it.
    case duplicate(Int)
  }

  public init() {}

  /// Whether data messages are held until they are whole, so that `message` can be asked.
  open var wantsMessages: Bool { false }
  /// Decides about a control frame by its header.
  open func control(_ header: FrameHeader, at now: Instant) -> FrameDecision { .pass }
  /// Decides about a data message.
  open func message(_ message: WireMessage, at now: Instant) -> MessageDecision { .pass }
}
