/// What a peer may send before it is closed with 1009. Sizes are bytes.
public struct WebSocketLimits: Hashable, Sendable {
  public var maxMessageBytes: Int
  public var maxFrameBytes: Int
  /// Frames per message: a peer may not send empty fragments for ever.
  public var maxFragments: Int

  /// - Parameter maxFrameBytes: default: as a message.
  public init(
    maxMessageBytes: Int = 16 * 1024 * 1024, maxFrameBytes: Int? = nil, maxFragments: Int = 131_072
  ) {
    self.maxMessageBytes = max(0, maxMessageBytes)
    self.maxFrameBytes = max(0, maxFrameBytes ?? maxMessageBytes)
    self.maxFragments = max(1, maxFragments)
  }
}
