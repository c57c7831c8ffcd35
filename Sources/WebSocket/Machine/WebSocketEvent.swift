/// What a peer sent, once it is whole.
public enum WebSocketEvent: Hashable, Sendable {
  /// A data message, unmasked and put together; a text's payload is valid UTF-8.
  case message(isText: Bool, payload: [UInt8])
  case ping([UInt8])
  case pong([UInt8])
  /// The peer's close frame; nothing comes after it. No code where the frame was empty.
  case closeReceived(code: UInt16?, reason: String)
  /// The peer broke the protocol or a limit; nothing is read after it.
  case failed(ProtocolFailure)
}
