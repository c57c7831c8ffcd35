import Core

/// Closes a stream so that the peer can still read what was sent last: sends it, then a FIN, and throws away what the
/// peer still sends until its own end or a limit of time. A plain close would turn unread bytes into an RST that may
/// overtake what was sent.
///
/// Kept alive by its timer.
/// @unchecked: confined to the stream's loop.
final class LingeringClose: LoopTimer, ByteStreamHandler, @unchecked Sendable {
  private let stream: ByteStream
  private var queue: SendQueue

  static func begin(_ stream: ByteStream, sending queue: SendQueue = SendQueue(), for limit: Duration) {
    if stream.isClosed { return }
    let closing = LingeringClose(stream, queue)
    stream.loop.arm(closing, at: stream.loop.now + limit)
    stream.handler = closing
    stream.resumeReading()
    closing.writable(stream)
  }

  private init(_ stream: ByteStream, _ queue: SendQueue) {
    self.stream = stream
    self.queue = queue
  }

  override func fire() { stream.close() }

  func writable(_ stream: ByteStream) {
    do throws(NetworkError) {
      try queue.flush(on: stream)
      if queue.isEmpty { stream.shutdownWrite() }
    } catch { end() }
  }

  func readable(_ stream: ByteStream) {
    do throws(NetworkError) {
      while true {
        switch try stream.read(into: stream.loop.scratch) {
        case .bytes: continue
        case .wouldBlock: return
        case .end: return end()
        }
      }
    } catch { end() }
  }

  private func end() {
    stream.loop.disarm(self)
    stream.close()
  }
}
