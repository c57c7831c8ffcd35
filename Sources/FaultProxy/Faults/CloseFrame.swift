import JSON
import WebSocket

/// `closeFrame`: a WebSocket close frame put in between two frames, then a FIN; as a server that is restarted sends it.
public struct CloseFrame: Fault {
  public static let kind = "closeFrame"
  public static let summary = "a close frame at the next frame boundary, then a FIN"
  public static let defaultDirection: FaultDirection? = .down
  public static let isMoment = true

  /// Nil sends a close frame without a code.
  public var code: UInt16?
  public var reason: String

  public init(code: UInt16? = CloseCode.goingAway, reason: String = "") {
    self.code = code
    self.reason = reason
  }

  public init?(_ options: SectionDecoder) {
    let hasCode = options.has("code")
    let code = options.integer("code", in: 0...65535)
    let reason = options.string("reason") ?? ""
    if hasCode, code == nil { return nil }
    if let code, !CloseCode.isAllowedOnWire(UInt16(truncatingIfNeeded: code)) {
      options.diagnostics.warning(
        at: options.location(of: "code"), "close code \(code) may not be sent (RFC 6455 §7.4); it is sent as written")
    }
    if reason.utf8.count > FrameWriter.maxCloseReasonBytes {
      options.mistake(
        "reason", "a close reason of \(reason.utf8.count) bytes",
        expected: "at most \(FrameWriter.maxCloseReasonBytes) bytes (RFC 6455 §5.5)")
      return nil
    }
    self.init(code: code.map { UInt16(truncatingIfNeeded: $0) } ?? CloseCode.goingAway, reason: reason)
  }

  public var hooks: FaultHooks { [.connections, .boundaries] }

  public func apply(to connection: any FaultedConnection, _ scope: FaultScope) {
    connection.close(by: scope.entry, code: code, reason: reason)
  }
}
