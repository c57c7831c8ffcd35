/// What a frame is (RFC 6455 §5.2); other numbers are reserved.
public enum Opcode: UInt8, Sendable {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  /// Close, ping or pong: at most 125 bytes, never fragmented.
  @inlinable public var isControl: Bool { rawValue & 8 != 0 }
}
