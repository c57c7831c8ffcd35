/// The part of one chunk of a byte stream that belongs to one frame. Ranges are offsets in the chunk.
public struct FrameSlice: Hashable, Sendable {
  /// The frame's header; nil while it is not complete.
  public var header: FrameHeader?
  /// All of the chunk's bytes that belong to the frame, header and payload. Never empty.
  public var bytes: Range<Int>
  /// Those of its payload, masked as they came; may be empty.
  public var payload: Range<Int>
  /// Where in the frame's payload `payload` begins, in bytes.
  public var payloadOffset: UInt64
  /// The frame's first byte is in this chunk.
  public var startsHere: Bool
  /// The header's last byte is in this chunk.
  public var headerEndsHere: Bool
  /// The frame's last byte is in this chunk.
  public var endsHere: Bool

  /// The frame's whole payload is in this chunk.
  public var hasWholePayload: Bool { endsHere && payloadOffset == 0 }
}
