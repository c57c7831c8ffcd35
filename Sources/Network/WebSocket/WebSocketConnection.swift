import Core
import WebSocket

/// A WebSocket over a byte stream: the protocol is `WebSocketMachine`'s, this moves its bytes, keeps its times and
/// tells a handler. An idle connection holds no buffer.
///
/// It keeps itself and its handler alive until `.closed` has been told.
/// @unchecked: confined to its stream's loop.
public final class WebSocketConnection: ByteStreamHandler, @unchecked Sendable {
  public let stream: ByteStream
  public let role: WebSocketMachine.Role
  /// The subprotocol that was agreed on.
  public internal(set) var subprotocol: String?
  @exclusivity(unchecked) public var handler: (any WebSocketHandler)?

  @exclusivity(unchecked) private(set) var machine: WebSocketMachine
  private let options: WebSocketOptions
  /// The client's handshake while it lasts.
  @exclusivity(unchecked) var opening: Opening?
  @exclusivity(unchecked) private var queue = SendQueue()
  @exclusivity(unchecked) private var wantsWritable = false
  private var timer: CallbackTimer?
  private var closeFrame: WebSocketClosure.CloseFrame?
  private var sentCode: UInt16?
  var weClose = false
  @exclusivity(unchecked) var isOver = false
  /// Nobody else needs to hold a connection.
  private var itself: WebSocketConnection?

  // MARK: Making one

  /// Begins the client's handshake over a connected stream; `.opened`, or `.refused` and `.closed`, or `.closed` tell how
  /// it went.
  ///
  /// - `maskKeys`: where masking keys come from (purpose `masking`).
  @discardableResult
  public static func connect(
    over stream: ByteStream, handshake: ClientHandshake, maskKeys: SeededRandom,
    options: WebSocketOptions = WebSocketOptions(), handler: any WebSocketHandler
  ) -> WebSocketConnection {
    let connection = WebSocketConnection(
      stream,
      WebSocketMachine(role: .client, limits: options.limits, maskKeys: maskKeys, recent: stream.loop.recentPayloads),
      options, handler)
    connection.opening = Opening(handshake: handshake)
    connection.startTimer(options.handshakeTimeout) { $0.handshakeTimedOut() }
    connection.transmit(handshake.request.serialize())
    return connection
  }

  /// The server's end of a stream whose upgrade has been answered with a 101.
  ///
  /// - `rest`: bytes that came behind the request. `queue`: what of the 101 the stream had no room for.
  static func accepted(
    over stream: ByteStream, rest: [UInt8], sending queue: SendQueue, options: WebSocketOptions,
    handler: any WebSocketHandler
  ) -> WebSocketConnection {
    let connection = WebSocketConnection(
      stream, WebSocketMachine(role: .server, limits: options.limits), options, handler)
    connection.queue = queue
    if !rest.isEmpty {
      stream.loop.soon(CallbackTimer { rest.withUnsafeBytes { connection.receive($0) } })
    }
    return connection
  }

  private init(
    _ stream: ByteStream, _ machine: WebSocketMachine, _ options: WebSocketOptions, _ handler: any WebSocketHandler
  ) {
    self.stream = stream
    self.machine = machine
    self.options = options
    self.handler = handler
    role = machine.role
    self.machine.repliesToPing = options.repliesToPing
    self.machine.repliesToClose = options.repliesToClose
    itself = self
    stream.handler = self
  }

  // MARK: State

  public var loop: EventLoop { stream.loop }
  /// Whether messages can be sent.
  public var isOpen: Bool { !isOver && opening == nil && machine.isOpen }
  /// Bytes that wait for the peer to read.
  public var queuedBytes: Int { queue.count }
  /// Whether pings are answered without asking anybody.
  public var repliesToPing: Bool {
    get { machine.repliesToPing }
    set { machine.repliesToPing = newValue }
  }
  /// Whether the peer's close frame is answered without asking anybody.
  public var repliesToClose: Bool {
    get { machine.repliesToClose }
    set { machine.repliesToClose = newValue }
  }

  // MARK: Sending

  /// Sends a text message; `text` must be UTF-8. False, and nothing sent, unless open.
  @discardableResult
  public func send(text: [UInt8]) -> Bool { send { machine, out in machine.text(text, into: &out) } }

  /// Sends a text message. False, and nothing sent, unless open.
  @discardableResult
  public func send(text: String) -> Bool { send { machine, out in machine.text(text, into: &out) } }

  /// Sends a binary message. False, and nothing sent, unless open.
  @discardableResult
  public func send(binary: [UInt8]) -> Bool { send { machine, out in machine.binary(binary, into: &out) } }

  /// Sends a frame that was encoded once for many (`WebSocketMachine.encodeServerText`); servers only. False, and
  /// nothing sent, unless open.
  @discardableResult
  public func send(encodedFrame frame: [UInt8]) -> Bool {
    assert(role == .server, "a client's frames are masked, each with its own key")
    guard isOpen else { return false }
    transmit(frame)
    return true
  }

  /// Sends bytes as they are, whatever they mean; for peers that misbehave on purpose.
  public func send(raw bytes: [UInt8]) { if !isOver { transmit(bytes) } }

  @discardableResult
  public func ping(_ payload: [UInt8] = []) -> Bool { send { machine, out in machine.ping(payload, into: &out) } }

  /// Sends a pong that nothing asked for, or that was held back (`repliesToPing` off).
  @discardableResult
  public func pong(_ payload: [UInt8] = []) -> Bool { send { machine, out in machine.pong(payload, into: &out) } }

  /// Sends our close frame; TCP ends when the peer has answered, or after the close timeout. In a handshake it aborts.
  public func close(code: UInt16? = CloseCode.normal, reason: String = "") {
    assert(loop.isConfined, "closed off the loop")
    if isOver { return }
    if opening != nil { return abort() }
    let answersPeer = machine.state == .closeReceived
    guard send({ machine, out in machine.close(code: code, reason: reason, into: &out) }, whenOpen: false) else {
      return
    }
    if !isOver {
      sentCode = code
      if !answersPeer { weClose = true }
      startTimer(options.closeTimeout) { $0.closeTimedOut() }
      if machine.state == .closed { closeHandshakeDone() }
    }
  }

  /// Ends the connection with an RST, at once. `.closed` follows through the loop.
  public func abort() {
    assert(loop.isConfined, "aborted off the loop")
    if isOver { return }
    weClose = true
    stream.reset()
    finish(.reset, nil, later: true)
  }

  /// Ends TCP with a FIN and no close frame; for peers that misbehave on purpose. `.closed` follows through the loop.
  public func closeWithoutFrame() {
    if isOver { return }
    weClose = true
    stream.close()
    finish(.fin, nil, later: true)
  }

  /// Stops reading: messages wait in the stream, and the peer is held up in the end.
  public func pauseReading() { stream.pauseReading() }
  public func resumeReading() { stream.resumeReading() }

  private func send(
    _ encode: (inout WebSocketMachine, inout [UInt8]) -> Bool, whenOpen: Bool = true
  ) -> Bool {
    assert(loop.isConfined, "sent off the loop")
    if isOver || (whenOpen && opening != nil) { return false }
    return loop.withOutput { out in
      guard encode(&machine, &out) else { return false }
      transmit(out)
      return true
    }
  }

  private func transmit(_ bytes: [UInt8]) {
    // A failed write is told by the read that follows it: the bytes before the end are still to be read.
    do throws(NetworkError) { try queue.send(bytes, on: stream) } catch { return queue.clear() }
    if queue.count > options.sendQueueLimit { return sendQueueOverflowed() }
    if queue.count > options.sendQueueLowMark { wantsWritable = true }
  }

  private func sendQueueOverflowed() {
    weClose = true
    stream.reset()
    finish(.reset, .sendQueueFull(limit: options.sendQueueLimit), later: true)
  }

  public func writable(_ stream: ByteStream) {
    if isOver { return }
    do throws(NetworkError) { try queue.flush(on: stream) } catch { queue.clear() }
    if wantsWritable && queue.count <= options.sendQueueLowMark {
      wantsWritable = false
      handler?.webSocket(self, .writable)
    }
  }

  // MARK: Receiving

  public func readable(_ stream: ByteStream) {
    do throws(NetworkError) {
      while !isOver {
        switch try stream.read(into: loop.scratch) {
        case .bytes(let count): receive(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
        case .wouldBlock: return
        case .end: return streamEnded(.fin)
        }
      }
    } catch { streamEnded(error == .timedOut ? .timeout : .reset) }
  }

  public func hungUp(_ stream: ByteStream, _ error: NetworkError?) {
    // While reading is paused no read will tell.
    if let error, stream.isReadingPaused { streamEnded(error == .timedOut ? .timeout : .reset) }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    if isOver { return }
    var position = 0
    if opening != nil {
      guard let used = receiveAnswer(bytes) else { return }
      position = used
    }
    while !isOver {
      let event = loop.withOutput { out in
        let event = machine.nextEvent(in: bytes, at: &position, replies: &out)
        // Before the event is told: what the handler sends comes after, and nothing after its close frame.
        if !out.isEmpty { transmit(out) }
        return event
      }
      guard let event, !isOver else { return }
      tell(event)
    }
  }

  private func tell(_ event: WebSocketEvent) {
    switch event {
    case .message(let isText, let payload): handler?.webSocket(self, .message(isText: isText, payload: payload))
    case .ping(let payload): handler?.webSocket(self, .ping(payload))
    case .pong(let payload): handler?.webSocket(self, .pong(payload))
    case .closeReceived(let code, let reason):
      closeFrame = WebSocketClosure.CloseFrame(code: code, reason: reason)
      if machine.state == .closed {
        if !weClose { sentCode = code }
        startTimer(options.closeTimeout) { $0.closeTimedOut() }
        closeHandshakeDone()
      }
    case .failed(let failure):
      weClose = true
      sentCode = failure.closeCode
      linger()
      finish(.fin, .violation(failure))
    }
  }

  /// Both close frames have passed. The server ends TCP, the client waits for that (RFC 6455 §7.1.1).
  private func closeHandshakeDone() {
    guard role == .server else { return }
    linger()
    finish(.fin, nil)
  }

  private func streamEnded(_ ending: Ending.How) {
    stream.close()
    finish(ending, opening == nil ? nil : .endedInHandshake)
  }

  // MARK: The end

  private func closeTimedOut() {
    stream.reset()
    finish(.timeout, .closeTimeout)
  }

  func linger() {
    LingeringClose.begin(stream, sending: queue, for: options.closeTimeout)
    queue.clear()
  }

  func finish(_ ending: Ending.How, _ failure: WebSocketClosure.Failure?, later: Bool = false) {
    guard !isOver else { return }
    isOver = true
    opening = nil
    queue.clear()
    stopTimer()
    let closure = WebSocketClosure(
      ending: ending, byUs: weClose, closeFrame: closeFrame, sentCode: sentCode, failure: failure)
    if later { loop.soon(CallbackTimer { self.tellClosed(closure) }) } else { tellClosed(closure) }
  }

  private func tellClosed(_ closure: WebSocketClosure) {
    let handler = handler
    self.handler = nil
    itself = nil
    handler?.webSocket(self, .closed(closure))
  }

  private func startTimer(_ duration: Duration, _ body: @escaping (WebSocketConnection) -> Void) {
    stopTimer()
    // Stopped before the connection lets go of itself.
    let timer = CallbackTimer { [unowned(unsafe) self] in body(self) }
    self.timer = timer
    loop.arm(timer, at: loop.now + duration)
  }

  func stopTimer() {
    if let timer { loop.disarm(timer) }
    timer = nil
  }
}
