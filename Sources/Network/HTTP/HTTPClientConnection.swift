import Core
import WebSocket

/// One connection of an HTTP client, with at most one request on its way.
///
/// @unchecked: confined to its stream's loop.
final class HTTPClientConnection: ByteStreamHandler, @unchecked Sendable {
  typealias Answer = Result<HTTPResponse, HTTPClientError>

  let stream: ByteStream
  private let maxBodyBytes: Int
  /// Called when an idle connection has ended.
  var onEnd: (() -> Void)?
  /// Whether another request may follow.
  private(set) var isReusable = true
  /// Whether a byte of the present answer has come.
  private(set) var hasAnswerBegun = false

  private var queue = SendQueue()
  private var method = ""
  private var parser = HTTPHeadParser(kind: .response)
  private var head: HTTPResponseHead?
  private var body: HTTPBodyReader?
  private var completion: ((Answer) -> Void)?

  init(_ stream: ByteStream, maxBodyBytes: Int) {
    self.stream = stream
    self.maxBodyBytes = maxBodyBytes
    stream.handler = self
  }

  /// Sends one request; `completion` is called once, on the loop.
  func exchange(_ request: HTTPRequest, _ completion: @escaping (Answer) -> Void) {
    self.completion = completion
    method = request.method
    hasAnswerBegun = false
    do throws(NetworkError) {
      try queue.send(request.head.serialize() + request.body, on: stream)
    } catch {
      // A server may answer and close before it has read everything; the read tells.
      queue.clear()
    }
  }

  /// Ends the connection and the request on its way.
  func fail(_ error: HTTPClientError) {
    isReusable = false
    stream.close()
    finish(.failure(error))
  }

  func writable(_ stream: ByteStream) {
    do throws(NetworkError) { try queue.flush(on: stream) } catch { queue.clear() }
  }

  func readable(_ stream: ByteStream) {
    do throws(NetworkError) {
      while !stream.isClosed {
        switch try stream.read(into: stream.loop.scratch) {
        case .bytes(let count): receive(UnsafeRawBufferPointer(rebasing: stream.loop.scratch[..<count]))
        case .wouldBlock: return
        case .end: return ended()
        }
      }
    } catch { fail(.network(error)) }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    guard completion != nil else { return fail(.ended) }  // nobody has asked for anything
    hasAnswerBegun = true
    var rest = bytes
    do throws(HTTPError) {
      while true {
        if body != nil {
          guard case .complete(let consumed)? = try body?.consume(rest) else { return }
          return complete(leftover: rest.count - consumed)
        }
        guard case .response(let head, let consumed) = try parser.consume(rest) else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
        if head.status < 200 && head.status != 101 { continue }  // an interim answer
        self.head = head
        body = try HTTPBodyReader(framing: HTTPBodyFraming(of: head, to: method), maxBytes: maxBodyBytes)
        if case .untilClose = try HTTPBodyFraming(of: head, to: method) { isReusable = false }
      }
    } catch { fail(.malformed(error)) }
  }

  private func ended() {
    do throws(HTTPError) {
      if body != nil {
        try body?.endOfStream()
        isReusable = false
        return complete(leftover: 0)
      }
      fail(.ended)
    } catch { fail(.malformed(error)) }
  }

  private func complete(leftover: Int) {
    guard let head, let body else { return }
    let closes = head.headers.containsToken("Connection", "close")
    let keeps = head.minorVersion >= 1 || head.headers.containsToken("Connection", "keep-alive")
    if closes || !keeps || leftover > 0 || head.status == 101 || !queue.isEmpty { isReusable = false }
    let response = HTTPResponse(status: head.status, headers: head.headers, body: body.body)
    self.head = nil
    self.body = nil
    if !isReusable { stream.close() }
    finish(.success(response))
  }

  private func finish(_ answer: Answer) {
    guard let completion else {
      onEnd?()
      return
    }
    self.completion = nil
    completion(answer)
  }
}
