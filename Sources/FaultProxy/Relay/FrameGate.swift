import Core
import WebSocket

/// Where frames and messages of one direction stop until faults have decided about them.
final class FrameGate {
  /// What becomes of the bytes of the frame the stream stands in.
  enum Fate {
    case pass
    case drop
    /// They are part of a message that is being gathered.
    case hold
  }

  struct Filter {
    var run: FaultRun
    var activation: Int
    var filter: FrameFilter
    var hasTouched = false
  }

  var filters: [Filter] = []
  var fate = Fate.pass
  /// What becomes of the data message that has begun and not ended; nil between messages.
  var messageFate: Fate?
  /// Which fault drops the present frame.
  var droppers: FaultSet = []
  /// The frame the stream stood in when the gate came: it has begun to pass, so it passes.
  var skipsFrame: Bool
  /// The bytes of a header that is not complete.
  var partial: [UInt8] = []
  /// The frames of a message that is being gathered.
  var held: [UInt8] = []
  /// What may go on.
  var out: [UInt8] = []

  init(skipsFrame: Bool, isWithinMessage: Bool) {
    self.skipsFrame = skipsFrame
    messageFate = isWithinMessage ? .pass : nil
  }

  var wantsMessages: Bool { filters.contains { $0.filter.wantsMessages } }
  /// Whether it can go without losing anything.
  var isIdle: Bool { filters.isEmpty && partial.isEmpty && held.isEmpty && fate != .drop }
}
