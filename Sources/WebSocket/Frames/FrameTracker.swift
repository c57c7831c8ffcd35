/// Follows the frames of one direction of a connection by their headers alone: copies no payload and allocates nothing.
public struct FrameTracker: Sendable {
  private let allowedReservedBits: UInt8
  /// The frame whose payload is being passed.
  private var header: FrameHeader?
  private var remaining: UInt64 = 0
  /// The bytes of a header that came in pieces, and how many.
  private var stash: (UInt64, UInt64) = (0, 0)
  private var stashed = 0
  /// Set at the first header that is invalid; from then on nothing is reported.
  public private(set) var failure: ProtocolFailure?

  /// - Parameter allowedReservedBits: those that a negotiated extension has given a meaning (4 is RSV1, for compression).
  public init(allowedReservedBits: UInt8 = 0) { self.allowedReservedBits = allowedReservedBits }

  /// Whether the stream stands between two frames, where another may be put in.
  public var isAtBoundary: Bool { header == nil && stashed == 0 && failure == nil }

  /// How many bytes of payload are still to come of the frame the stream stands in.
  public var remainingPayload: UInt64 { remaining }

  /// Reports the chunk's frames in order. Bytes from an invalid header on are not reported; see `failure`.
  public mutating func advance(_ chunk: UnsafeRawBufferPointer, _ body: (FrameSlice) -> Void) {
    var position = 0
    while let slice = next(in: chunk, at: &position) { body(slice) }
  }

  /// The slice that begins at `position`, which moves behind it; nil at the end of the chunk and after a failure.
  public mutating func next(in chunk: UnsafeRawBufferPointer, at position: inout Int) -> FrameSlice? {
    guard failure == nil else {
      position = chunk.count
      return nil
    }
    guard position < chunk.count else { return nil }
    let start = position
    if let header { return payloadSlice(header, from: start, in: chunk, at: &position) }

    let startsHere = stashed == 0
    switch readHeader(in: chunk, at: &position) {
    case .needMore:
      return FrameSlice(
        header: nil, bytes: start..<position, payload: position..<position, payloadOffset: 0, startsHere: startsHere,
        headerEndsHere: false, endsHere: false)
    case .invalid(let reason):
      failure = ProtocolFailure(closeCode: CloseCode.protocolError, reason: reason)
      position = chunk.count
      return nil
    case .header(let header):
      stashed = 0
      self.header = header
      remaining = header.payloadLength
      var slice = payloadSlice(header, from: start, in: chunk, at: &position)
      slice.startsHere = startsHere
      slice.headerEndsHere = true
      return slice
    }
  }

  private mutating func payloadSlice(
    _ header: FrameHeader, from start: Int, in chunk: UnsafeRawBufferPointer, at position: inout Int
  ) -> FrameSlice {
    let offset = header.payloadLength &- remaining
    let count = Int(min(remaining, UInt64(chunk.count &- position)))
    let payload = position..<position &+ count
    position = payload.upperBound
    remaining &-= UInt64(count)
    if remaining == 0 { self.header = nil }
    return FrameSlice(
      header: header, bytes: start..<position, payload: payload, payloadOffset: offset, startsHere: false,
      headerEndsHere: false, endsHere: remaining == 0)
  }

  private mutating func readHeader(in chunk: UnsafeRawBufferPointer, at position: inout Int) -> FrameHeader.Parsed {
    if stashed == 0 {
      let parsed = FrameHeader.parse(
        UnsafeRawBufferPointer(rebasing: chunk[position...]), allowedReservedBits: allowedReservedBits)
      if case .header(let header) = parsed {
        position &+= header.headerLength
        return parsed
      }
      guard case .needMore = parsed else { return parsed }
    }
    // A header in pieces: at most 14 bytes, so parsing again at each byte costs little.
    while position < chunk.count {
      let (byte, index, allowed) = (chunk[position], stashed, allowedReservedBits)
      let parsed = withUnsafeMutableBytes(of: &stash) { bytes in
        bytes[index] = byte
        return FrameHeader.parse(UnsafeRawBufferPointer(rebasing: bytes[...index]), allowedReservedBits: allowed)
      }
      stashed &+= 1
      position &+= 1
      guard case .needMore = parsed else { return parsed }
    }
    return .needMore
  }
}
