import Core
import WebSocket

/// One connection of an HTTP server: reads requests one after another and answers them in order. What comes while one
/// is being answered waits in the stream.
///
/// @unchecked: confined to its stream's loop.
final class HTTPServerConnection: LoopTimer, ByteStreamHandler, @unchecked Sendable {
  private enum State {
    case head
    case body(HTTPRequestHead, HTTPBodyReader)
    /// The handler has the request, sent with this method.
    case answering(method: String, keepsAlive: Bool)
    case over
  }

  let stream: ByteStream
  let number: Int
  private weak var server: HTTPServer?
  private let options: HTTPServer.Options
  private var state = State.head
  private var parser: HTTPHeadParser
  private var queue = SendQueue()
  /// Bytes read behind the request that is being answered.
  private var rest: [UInt8] = []

  init(_ stream: ByteStream, _ server: HTTPServer, number: Int) {
    self.stream = stream
    self.number = number
    self.server = server
    options = server.options
    parser = HTTPHeadParser(kind: .request, maxBytes: options.maxHeadBytes)
    super.init()
    stream.handler = self
    awaitRequest()
  }

  var isOver: Bool { if case .over = state { true } else { false } }
  /// Whether it waits for the first byte of a request.
  var isIdle: Bool { if case .head = state { parser.isAtBoundary } else { false } }

  private var loop: EventLoop { stream.loop }

  private func awaitRequest() { loop.arm(self, at: loop.now + options.idleTimeout) }

  /// No request, or not the whole of it, in time.
  override func fire() { end() }

  func end() {
    if isOver { return }
    forget()
    stream.close()
  }

  private func forget() {
    state = .over
    loop.disarm(self)
    server?.forget(self)
  }

  private func linger() {
    forget()
    LingeringClose.begin(stream, sending: queue, for: options.lingerTimeout)
    queue.clear()
  }

  // MARK: Receiving

  func readable(_ stream: ByteStream) {
    do throws(NetworkError) {
      while !isOver && !stream.isReadingPaused {
        switch try stream.read(into: loop.scratch) {
        case .bytes(let count): receive(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
        case .wouldBlock: return
        case .end: return end()
        }
      }
    } catch { end() }
  }

  func hungUp(_ stream: ByteStream, _ error: NetworkError?) { if error != nil { end() } }

  func writable(_ stream: ByteStream) {
    do throws(NetworkError) { try queue.flush(on: stream) } catch { end() }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    do throws(HTTPError) {
      while position < bytes.count {
        let left = UnsafeRawBufferPointer(rebasing: bytes[position...])
        switch state {
        case .head:
          guard case .request(let head, let consumed) = try parser.consume(left) else { return }
          position += consumed
          if try begin(head, behind: left, consumed) { return }
        case .body(let head, var reader):
          let progress = try reader.consume(left)
          state = .body(head, reader)
          guard case .complete(let consumed) = progress else { return }
          return handle(head, reader.body, behind: left, consumed)
        case .answering, .over: return
        }
      }
    } catch { refuse(error) }
  }

  /// Whether the request was whole, and has been handled.
  private func begin(
    _ head: HTTPRequestHead, behind bytes: UnsafeRawBufferPointer, _ consumed: Int
  ) throws(HTTPError) -> Bool {
    let reader = try HTTPBodyReader(framing: HTTPBodyFraming(of: head), maxBytes: options.maxBodyBytes)
    if reader.isComplete {
      handle(head, [], behind: bytes, consumed)
      return true
    }
    state = .body(head, reader)
    if head.headers.containsToken("Expect", "100-continue") { transmit(HTTPResponseHead(status: 100).serialize()) }
    return false
  }

  private func handle(_ head: HTTPRequestHead, _ body: [UInt8], behind bytes: UnsafeRawBufferPointer, _ consumed: Int) {
    loop.disarm(self)
    let persists = head.minorVersion >= 1 || head.headers.containsToken("Connection", "keep-alive")
    let keepsAlive = persists && !head.headers.containsToken("Connection", "close")
    state = .answering(method: head.method, keepsAlive: keepsAlive)
    // Kept before the handler runs: it may use the buffer the bytes are in.
    rest = Array(bytes[consumed...])
    stream.pauseReading()
    let request = HTTPRequest(method: head.method, target: head.target, headers: head.headers, body: body)
    guard let server else { return end() }
    server.handler(request, HTTPResponder(self, head))
  }

  private func refuse(_ error: HTTPError) {
    let status =
      switch error {
      case .headTooLarge, .tooManyFields, .trailersTooLarge: 431
      case .bodyTooLarge: 413
      case .unsupportedVersion: 505
      case .unsupportedTransferEncoding: 501
      default: 400
      }
    state = .answering(method: "", keepsAlive: false)
    respond(HTTPResponse(status: status, body: Array("\(error)\n".utf8)))
  }

  // MARK: Answering

  func respond(_ response: HTTPResponse, closing: Bool = false) {
    guard case .answering(let method, let keepsAlive) = state else { return }
    var head = HTTPResponseHead(status: response.status, headers: response.headers)
    let closes = closing || !keepsAlive || head.headers.containsToken("Connection", "close")
    if closes && !head.headers.containsToken("Connection", "close") { head.headers.append("Connection", "close") }
    let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
    if hasBody && head.headers.first("Transfer-Encoding") == nil {
      head.headers.set("Content-Length", String(response.body.count))
    }
    transmit(head.serialize() + (hasBody && method != "HEAD" ? response.body : []))
    if isOver { return }
    if closes { return linger() }
    state = .head
    awaitRequest()
    // Through the loop: a peer that sends many requests at once must not grow the stack.
    loop.soon(CallbackTimer { [weak self] in self?.takeUpReading() })
  }

  private func takeUpReading() {
    if isOver { return }
    let bytes = rest
    rest = []
    if !bytes.isEmpty { bytes.withUnsafeBytes { receive($0) } }
    if case .answering = state { return }
    stream.resumeReading()
  }

  func upgrade(
    _ head: HTTPResponseHead, _ options: WebSocketOptions, _ handler: any WebSocketHandler
  ) -> WebSocketConnection? {
    transmit(head.serialize())
    if isOver { return nil }
    let rest = rest
    forget()
    let connection = WebSocketConnection.accepted(
      over: stream, rest: rest, sending: queue, options: options, handler: handler)
    stream.resumeReading()
    return connection
  }

  private func transmit(_ bytes: [UInt8]) {
    do throws(NetworkError) { try queue.send(bytes, on: stream) } catch { end() }
  }
}
