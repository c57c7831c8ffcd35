import Core

/// One endpoint of a WebSocket connection after its handshake: bytes in, events and reply bytes out (RFC 6455). No I/O, no time.
///
/// Sending and receiving append what has to go to the peer to a buffer of the caller's; an idle machine holds no buffer.
/// Receive with `nextEvent(in:at:replies:)` where events are answered at once: between two events the machine is free
/// to send. Within the closure of `receive` it is not.
public struct WebSocketMachine: Sendable {
  public typealias Limits = WebSocketLimits

  /// Which end this is: a client masks what it sends and refuses masked frames, a server the other way round.
  public enum Role: Sendable { case client, server }

  public enum State: Hashable, Sendable {
    /// Data flows both ways.
    case open
    /// We sent a close frame; the peer's answer is outstanding, and what it sends before that is still delivered.
    case closeSent
    /// The peer sent a close frame that was not answered (only with `repliesToClose` off); nothing more is read.
    case closeReceived
    /// Both close frames have passed, or the connection failed: nothing is sent or read. Close the byte stream.
    case closed
  }

  public let role: Role
  public private(set) var state = State.open
  /// Answer a ping with a pong at once. Off: the owner answers, late or never.
  public var repliesToPing = true
  /// Answer a close frame with one at once. Off: the owner answers by `close`, late or never.
  public var repliesToClose = true
  /// Why the connection failed, once it has.
  public var failure: ProtocolFailure? { assembler.failure }
  /// Bytes of buffers held for a message or control frame that has begun and not ended; 0 when idle.
  public var heldBytes: Int { assembler.heldBytes }

  private var tracker = FrameTracker()
  private var assembler: MessageAssembler
  private var maskKeys: SeededRandom

  /// - Parameters:
  ///   - maskKeys: where a client's masking keys come from (purpose: `masking`, one stream per client); not used
  ///   by a server.
  ///   - recent: where a client's received payloads are shared with others.
  public init(
    role: Role, limits: Limits = Limits(), maskKeys: SeededRandom = SeededRandom(seed: 0, purpose: .masking),
    recent: RecentPayloads? = nil
  ) {
    self.role = role
    self.maskKeys = maskKeys
    assembler = MessageAssembler(expectsMask: role == .server, limits: limits, recent: recent)
  }

  // MARK: Receiving

  /// Reads `bytes` from `position` until one event is complete, and moves `position` behind it; nil when all are read.
  /// - Parameter out: gets the automatic replies: pongs, the answer to a close frame, the close frame of a failure.
  public mutating func nextEvent(
    in bytes: UnsafeRawBufferPointer, at position: inout Int, replies out: inout [UInt8]
  ) -> WebSocketEvent? {
    while position < bytes.count {
      guard state == .open || state == .closeSent else {
        position = bytes.count
        return nil
      }
      let event: WebSocketEvent?
      if let slice = tracker.next(in: bytes, at: &position) {
        event = assembler.accept(slice, of: bytes)
      } else if let failure = tracker.failure {
        event = assembler.accept(failure)
      } else {
        return nil
      }
      if let event {
        react(to: event, into: &out)
        return event
      }
    }
    return nil
  }

  /// Reads all of `bytes` and reports each event. `body` must use neither this machine nor `out`.
  public mutating func receive(
    _ bytes: UnsafeRawBufferPointer, replies out: inout [UInt8], _ body: (WebSocketEvent) -> Void
  ) {
    var position = 0
    while let event = nextEvent(in: bytes, at: &position, replies: &out) { body(event) }
  }

  private mutating func react(to event: WebSocketEvent, into out: inout [UInt8]) {
    switch event {
    case .message, .pong: break
    case .ping(let payload):
      if repliesToPing { pong(payload, into: &out) }
    case .closeReceived(let code, _):
      if state == .closeSent {
        state = .closed
      } else {
        state = .closeReceived
        if repliesToClose { close(code: code, into: &out) }
      }
    case .failed(let failure):
      close(code: failure.closeCode, reason: failure.reason, into: &out)
      state = .closed
    }
  }

  // MARK: Sending

  /// Whether data may be sent.
  public var isOpen: Bool { state == .open }

  /// Appends a text message; `payload` must be UTF-8. False, and nothing appended, unless the connection is open.
  @discardableResult
  public mutating func text(_ payload: UnsafeRawBufferPointer, into out: inout [UInt8]) -> Bool {
    send(.text, payload, into: &out)
  }

  /// The same of an array.
  @discardableResult
  public mutating func text(_ payload: [UInt8], into out: inout [UInt8]) -> Bool {
    payload.withUnsafeBytes { send(.text, $0, into: &out) }
  }

  /// The same of a string.
  @discardableResult
  public mutating func text(_ text: String, into out: inout [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { send(.text, UnsafeRawBufferPointer($0), into: &out) }
  }

  /// Appends a binary message. False, and nothing appended, unless the connection is open.
  @discardableResult
  public mutating func binary(_ payload: UnsafeRawBufferPointer, into out: inout [UInt8]) -> Bool {
    send(.binary, payload, into: &out)
  }

  /// The same of an array.
  @discardableResult
  public mutating func binary(_ payload: [UInt8], into out: inout [UInt8]) -> Bool {
    payload.withUnsafeBytes { send(.binary, $0, into: &out) }
  }

  /// Appends a text message in frames of at most `size` bytes (at least 1), which may split characters.
  @discardableResult
  public mutating func text(
    _ payload: [UInt8], inFragmentsOf size: Int, into out: inout [UInt8]
  ) -> Bool {
    guard isOpen else { return false }
    let size = max(1, size)
    payload.withUnsafeBytes { bytes in
      var start = 0
      repeat {
        let end = min(bytes.count, start + size)
        let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        write(start == 0 ? .text : .continuation, fin: end == bytes.count, part, into: &out)
        start = end
      } while start < bytes.count
    }
    return true
  }

  /// Appends a ping; the payload is cut to 125 bytes. False, and nothing appended, unless the connection is open.
  @discardableResult
  public mutating func ping(_ payload: [UInt8] = [], into out: inout [UInt8]) -> Bool {
    payload.prefix(125).withUnsafeBytes { send(.ping, $0, into: &out) }
  }

  /// Appends a pong; the payload is cut to 125 bytes. False, and nothing appended, unless the connection is open.
  @discardableResult
  public mutating func pong(_ payload: [UInt8] = [], into out: inout [UInt8]) -> Bool {
    payload.prefix(125).withUnsafeBytes { send(.pong, $0, into: &out) }
  }

  /// Appends our close frame: the first one, or the answer to the peer's. False, and nothing appended, if one was sent.
  /// - Parameters:
  ///   - code: any number, so that misbehaviour can be tried; nil for an empty frame.
  ///   - reason: cut to 123 bytes; not sent without a code.
  @discardableResult
  public mutating func close(code: UInt16?, reason: String = "", into out: inout [UInt8]) -> Bool {
    switch state {
    case .open: state = .closeSent
    case .closeReceived: state = .closed
    case .closeSent, .closed: return false
    }
    FrameWriter.closePayload(code: code, reason: reason).withUnsafeBytes { write(.close, fin: true, $0, into: &out) }
    return true
  }

  /// A server's text message as one frame, encoded once for many receivers; send it only where `isOpen`.
  public static func encodeServerText(_ payload: [UInt8]) -> [UInt8] {
    var frame: [UInt8] = []
    frame.reserveCapacity(payload.count + FrameHeader.maxLength)
    FrameWriter.write(.text, payload: payload, into: &frame)
    return frame
  }

  private mutating func send(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, into out: inout [UInt8]) -> Bool {
    guard isOpen else { return false }
    write(opcode, fin: true, payload, into: &out)
    return true
  }

  private mutating func write(
    _ opcode: Opcode, fin: Bool, _ payload: UnsafeRawBufferPointer, into out: inout [UInt8]
  ) {
    let mask = role == .client ? UInt32(truncatingIfNeeded: maskKeys.next()) : nil
    FrameWriter.write(opcode, fin: fin, payload: payload, mask: mask, into: &out)
  }
}
