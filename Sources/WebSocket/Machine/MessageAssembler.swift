/// Makes whole messages of the frames a `FrameTracker` finds, and judges them; after a violation it reports once and is silent.
///
/// Holds bytes only of a message or control frame that has begun and not ended.
public struct MessageAssembler: Sendable {
  /// How much is reserved on a frame's word for its length, before its bytes have come. Up to here a message that comes
  /// in pieces costs one allocation; above, its buffer grows by doubling as bytes come.
  private static let maxTrustedBytes = 64 * 1024

  /// Whether the peer's frames must be masked (a client's) or must not be (a server's); nil: not judged.
  private let expectsMask: Bool?
  private let limits: WebSocketLimits
  private let skipsOversized: Bool
  private let recent: RecentPayloads?
  /// The kind of the message that has begun and not ended.
  private var opened: Opcode?
  private var message: [UInt8] = []
  private var fragments = 0
  private var utf8 = UTF8Validator()
  private var control: [UInt8] = []
  private var isSkipping = false
  private var closed = false
  /// How many messages above the limit were passed over.
  public private(set) var skippedMessages = 0
  /// The violation, once there was one.
  public private(set) var failure: ProtocolFailure?

  /// - Parameters:
  ///   - skipsOversized: pass over a message above the limits, counted in `skippedMessages`, instead of failing.
  ///   - recent: where payloads of unmasked messages are shared; nil: each has its own.
  public init(
    expectsMask: Bool?, limits: WebSocketLimits = WebSocketLimits(), skipsOversized: Bool = false,
    recent: RecentPayloads? = nil
  ) {
    self.recent = recent
    self.expectsMask = expectsMask
    self.limits = limits
    self.skipsOversized = skipsOversized
  }

  /// Whether a message has begun whose last fragment has not come.
  public var isWithinMessage: Bool { opened != nil }

  /// Bytes of buffers held for what has begun and not ended; 0 when idle.
  public var heldBytes: Int { message.capacity + control.capacity }

  /// Takes the tracker's next slice of `chunk`; the event it completes, if any.
  public mutating func accept(_ slice: FrameSlice, of chunk: UnsafeRawBufferPointer) -> WebSocketEvent? {
    guard failure == nil, let header = slice.header else { return nil }
    if slice.headerEndsHere, let failure = judge(header) { return fail(failure) }
    let bytes = UnsafeRawBufferPointer(rebasing: chunk[slice.payload])
    return header.opcode.isControl
      ? acceptControl(header, slice, bytes)
      : acceptData(header, slice, bytes)
  }

  /// Takes the tracker's failure, an invalid header, when the tracker has one. Reported unless something else was before.
  public mutating func accept(_ failure: ProtocolFailure) -> WebSocketEvent? {
    self.failure == nil ? fail(failure) : nil
  }

  private mutating func fail(_ failure: ProtocolFailure) -> WebSocketEvent {
    self.failure = failure
    (message, control) = ([], [])
    return .failed(failure)
  }

  /// The rules a complete header is held to; also begins a message.
  private mutating func judge(_ header: FrameHeader) -> ProtocolFailure? {
    func violation(_ reason: String) -> ProtocolFailure {
      ProtocolFailure(closeCode: CloseCode.protocolError, reason: reason)
    }
    if header.rsv != 0 { return violation("reserved bits \(header.rsv), expected none without an extension") }
    if let expectsMask, expectsMask != (header.mask != nil) {
      return violation(expectsMask ? "unmasked frame from a client" : "masked frame from a server")
    }
    if header.opcode.isControl { return nil }
    if closed { return violation("\(header.opcode) frame after a close frame") }
    if header.opcode == .continuation {
      if opened == nil { return violation("continuation frame without a message to continue") }
    } else {
      if opened != nil { return violation("\(header.opcode) frame within a message, expected a continuation") }
      opened = header.opcode
      fragments = 0
      utf8 = UTF8Validator()
    }
    fragments += 1
    return oversize(header)
  }

  private mutating func oversize(_ header: FrameHeader) -> ProtocolFailure? {
    if isSkipping { return nil }
    let reason: String
    if header.payloadLength > UInt64(limits.maxFrameBytes) {
      reason = "frame of \(header.payloadLength) bytes, the limit is \(limits.maxFrameBytes)"
    } else if header.payloadLength > UInt64(max(0, limits.maxMessageBytes - message.count)) {
      reason = "message of more than \(limits.maxMessageBytes) bytes"
    } else if fragments > limits.maxFragments {
      reason = "message of more than \(limits.maxFragments) fragments"
    } else {
      return nil
    }
    guard skipsOversized else { return ProtocolFailure(closeCode: CloseCode.tooBig, reason: reason) }
    isSkipping = true
    message = []
    return nil
  }

  private mutating func acceptData(
    _ header: FrameHeader, _ slice: FrameSlice, _ bytes: UnsafeRawBufferPointer
  ) -> WebSocketEvent? {
    if isSkipping {
      if slice.endsHere && header.fin {
        (isSkipping, opened) = (false, nil)
        skippedMessages += 1
      }
      return nil
    }
    let isText = opened == .text
    // The usual case: one frame, all here. One allocation, one copy.
    if slice.hasWholePayload && header.fin && header.opcode != .continuation {
      opened = nil
      if header.mask == nil, let known = recent?.known(bytes, isText: isText) {
        return .message(isText: isText, payload: known)
      }
      let payload = Self.unmasked(bytes, header.mask)
      if isText, !payload.withUnsafeBytes(UTF8Validator.isValid) { return fail(Self.notUTF8) }
      if header.mask == nil { recent?.keep(payload, isText: isText) }
      return .message(isText: isText, payload: payload)
    }
    // Not before there are bytes to keep: a header that ends its chunk must not leave a buffer behind.
    if message.isEmpty && !bytes.isEmpty {
      message.reserveCapacity(Int(min(header.payloadLength, UInt64(Self.maxTrustedBytes))))
    }
    let start = message.count
    Self.append(bytes, header.mask, offset: slice.payloadOffset, to: &message)
    if isText, !message.withUnsafeBytes({ utf8.consume(UnsafeRawBufferPointer(rebasing: $0[start...])) }) {
      return fail(Self.notUTF8)
    }
    guard slice.endsHere && header.fin else { return nil }
    if isText && !utf8.isComplete { return fail(Self.notUTF8) }
    opened = nil
    let payload = message
    message = []
    return .message(isText: isText, payload: payload)
  }

  private mutating func acceptControl(
    _ header: FrameHeader, _ slice: FrameSlice, _ bytes: UnsafeRawBufferPointer
  ) -> WebSocketEvent? {
    let payload: [UInt8]
    if slice.hasWholePayload {
      payload = Self.unmasked(bytes, header.mask)
    } else {
      Self.append(bytes, header.mask, offset: slice.payloadOffset, to: &control)
      guard slice.endsHere else { return nil }
      payload = control
      control = []
    }
    if closed { return nil }
    switch header.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong(payload)
    default:
      closed = true
      return close(payload)
    }
  }

  private mutating func close(_ payload: [UInt8]) -> WebSocketEvent {
    if payload.isEmpty { return .closeReceived(code: nil, reason: "") }
    guard payload.count >= 2 else {
      return fail(ProtocolFailure(closeCode: CloseCode.protocolError, reason: "close frame with half a code"))
    }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    guard CloseCode.isAllowedOnWire(code) else {
      return fail(ProtocolFailure(closeCode: CloseCode.protocolError, reason: "close frame with code \(code)"))
    }
    let reason = payload[2...]
    guard reason.withUnsafeBytes(UTF8Validator.isValid) else {
      return fail(ProtocolFailure(closeCode: CloseCode.invalidPayload, reason: "close reason that is not UTF-8"))
    }
    return .closeReceived(code: code, reason: String(decoding: reason, as: UTF8.self))
  }

  private static let notUTF8 = ProtocolFailure(closeCode: CloseCode.invalidPayload, reason: "text that is not UTF-8")

  private static func unmasked(_ bytes: UnsafeRawBufferPointer, _ mask: UInt32?) -> [UInt8] {
    guard let mask, !bytes.isEmpty else { return Array(bytes) }
    return Array(unsafeUninitializedCapacity: bytes.count) { target, count in
      Masking.copy(bytes, to: UnsafeMutableRawBufferPointer(target), key: mask)
      count = bytes.count
    }
  }

  private static func append(
    _ bytes: UnsafeRawBufferPointer, _ mask: UInt32?, offset: UInt64, to buffer: inout [UInt8]
  ) {
    guard !bytes.isEmpty else { return }
    let start = buffer.count
    buffer.append(contentsOf: bytes)
    guard let mask else { return }
    buffer.withUnsafeMutableBytes {
      Masking.apply(UnsafeMutableRawBufferPointer(rebasing: $0[start...]), key: mask, offset: offset)
    }
  }
}
