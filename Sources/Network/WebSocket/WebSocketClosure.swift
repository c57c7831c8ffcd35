import Core
import WebSocket

/// How a WebSocket connection ended.
public struct WebSocketClosure: Equatable, Sendable, CustomStringConvertible {
  /// The peer's close frame.
  public struct CloseFrame: Equatable, Sendable {
    /// Nil for an empty frame.
    public var code: UInt16?
    public var reason: String
    public init(code: UInt16?, reason: String) {
      self.code = code
      self.reason = reason
    }
  }

  /// What went wrong, where it was more than an end.
  public enum Failure: Equatable, Sendable, CustomStringConvertible {
    /// The peer broke the protocol or a limit; a close frame with the code that belongs to it was sent.
    case violation(ProtocolFailure)
    /// The answer to the upgrade request was not a WebSocket's: a refusal, or a wrong 101.
    case handshake(HandshakeError)
    /// The answer to the upgrade request was not HTTP.
    case malformedAnswer(HTTPError)
    /// TCP ended before the upgrade request was answered.
    case endedInHandshake
    case handshakeTimeout
    /// TCP did not end in time after our close frame.
    case closeTimeout
    /// More waited to be sent than the limit in bytes.
    case sendQueueFull(limit: Int)

    public var description: String {
      switch self {
      case .violation(let failure): "\(failure)"
      case .handshake(let error): "\(error)"
      case .malformedAnswer(let error): "answer to the upgrade request: \(error)"
      case .endedInHandshake: "the connection ended before the upgrade request was answered"
      case .handshakeTimeout: "no answer to the upgrade request in time"
      case .closeTimeout: "the peer did not end the connection in time after our close frame"
      case .sendQueueFull(let limit): "more than \(limit) bytes waited to be sent: the peer reads too slowly"
      }
    }
  }

  /// How TCP ended.
  public var ending: Ending.How
  /// Whether this side began the end: by `close`, `abort`, or because of a failure that it noticed.
  public var byUs: Bool
  /// The peer's close frame, if one came.
  public var closeFrame: CloseFrame?
  /// The code of the close frame that this side sent, if it sent one with a code.
  public var sentCode: UInt16?
  public var failure: Failure?

  public init(
    ending: Ending.How, byUs: Bool, closeFrame: CloseFrame? = nil, sentCode: UInt16? = nil, failure: Failure? = nil
  ) {
    self.ending = ending
    self.byUs = byUs
    self.closeFrame = closeFrame
    self.sentCode = sentCode
    self.failure = failure
  }

  public var description: String {
    var parts = ["\(byUs ? "closed by us" : "closed by the peer") (\(ending))"]
    if let closeFrame {
      let reason = closeFrame.reason.isEmpty ? "" : " \"\(closeFrame.reason)\""
      parts.append("close frame \(closeFrame.code.map(String.init) ?? "without a code")\(reason)")
    }
    if let failure { parts.append("\(failure)") }
    return parts.joined(separator: ", ")
  }
}
