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

  /// What becomes of a whole message. Faults behind this one in the timeline decide about what is left of it.
  public enum MessageDecision: Hashable, Sendable {
    case pass
    case drop
    /// Another payload in its place, as one frame.
    case replace([UInt8])
    /// These bytes in its place, which are no valid frame; why. No further fault decides.
    case corrupt([UInt8], reason: String)
    /// The message, then so many copies of it.
    case duplicate(Int)
    /// It goes on at that time, between two frames; what comes behind it does not wait.
    case delay(until: Instant)
    /// It waits until so many have gathered, or for the deadline of the first of them; then they go on as `order` says.
    case gather(count: Int, until: Instant)
  }

  /// What frames are masked with that the proxy makes towards the server; any key would do.
  public static let maskingKey: UInt32 = 0x0B10_AD00

  public init() {}

  /// Whether data messages are held until they are whole, so that `message` can be asked.
  open var wantsMessages: Bool { false }
  /// Decides about a control frame by its header.
  open func control(_ header: FrameHeader, at now: Instant) -> FrameDecision { .pass }
  /// Decides about a data message.
  open func message(_ message: WireMessage, at now: Instant) -> MessageDecision { .pass }
  /// In which order so many gathered messages go on: their positions, each once.
  open func order(_ count: Int) -> [Int] { Array(0..<count) }
}
