import Core
import JSON
import WebSocket

/// How a function's run went, encoded once: the part of an update or a result that follows its id.
///
/// All subscribers of a value share one of these, and those who chose the same id share the whole frame.
final class SharedResult {
  /// `,"ok":true,"value":…` or `,"ok":false,"error":…`: a comma before, no brace after.
  let members: [UInt8]
  let isOK: Bool
  /// The frames of the ids asked for first; most clients choose the same few.
  private var frames: [(id: Int64, frame: [UInt8])] = []
  private static let mostFrames = 8

  /// A value, as JSON text.
  init(value: [UInt8]) {
    var members: [UInt8] = []
    members.reserveCapacity(value.count + 20)
    JSONText.append(#","ok":true,"value":"#, to: &members)
    members += value
    self.members = members
    isOK = true
  }

  init(value: JSONValue) {
    var members: [UInt8] = []
    JSONText.append(#","ok":true,"value":"#, to: &members)
    value.write(into: &members)
    self.members = members
    isOK = true
  }

  /// A failure, as clients may see it.
  init(_ failure: FunctionFailure, devMode: Bool) {
    var members: [UInt8] = []
    JSONText.append(#","ok":false,"error":"#, to: &members)
    switch failure {
    case .convex(let message, let data):
      JSONText.appendString(message, to: &members)
      JSONText.append(#","data":"#, to: &members)
      data.write(into: &members)
    case .refused(let message): JSONText.appendString(message, to: &members)
    case .other(let message): JSONText.appendString(devMode ? message : "Server Error", to: &members)
    }
    self.members = members
    isOK = false
  }

  func isSame(as other: SharedResult) -> Bool { self === other || members == other.members }

  /// The WebSocket frame of the update that carries this to a subscription.
  func updateFrame(id: Int64) -> [UInt8] {
    for known in frames where known.id == id { return known.frame }
    let frame = ServerFrame.make(capacity: members.count + 48) { appendUpdate(id: id, to: &$0) }
    if frames.count < Self.mostFrames { frames.append((id, frame)) }
    return frame
  }

  /// Appends the update as a JSON object, as it stands alone or within a transition.
  func appendUpdate(id: Int64, to bytes: inout [UInt8]) {
    JSONText.append(#"{"type":"update","id":"#, to: &bytes)
    JSONText.appendInteger(id, to: &bytes)
    bytes += members
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends the answer to a call as a JSON object, as it stands alone or within a transition.
  func appendResult(request: Int64, to bytes: inout [UInt8]) {
    JSONText.append(#"{"type":"result","requestId":"#, to: &bytes)
    JSONText.appendInteger(request, to: &bytes)
    bytes += members
    bytes.append(UInt8(ascii: "}"))
  }
}

/// Whole text frames of a server.
enum ServerFrame {
  /// The frame of the payload that `write` appends.
  static func make(capacity: Int, _ write: (inout [UInt8]) -> Void) -> [UInt8] {
    var payload: [UInt8] = []
    payload.reserveCapacity(capacity)
    write(&payload)
    return WebSocketMachine.encodeServerText(payload)
  }
}
