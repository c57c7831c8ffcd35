import Core

/// Bytes that a stream had no room for, in order. Holds shared frames without copying them, and nothing when empty.
struct SendQueue {
  private var chunks: [[UInt8]] = []
  /// Where the first chunk that is left begins, and how much of it has been sent.
  private var next = 0
  private var sent = 0
  /// Bytes that wait.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Sends what the stream takes; the rest waits. Bytes queued before go first.
  mutating func send(_ bytes: [UInt8], on stream: ByteStream) throws(NetworkError) {
    if count > 0 {
      append(bytes)
      return
    }
    let taken = try stream.write(bytes)
    if taken == bytes.count { return }
    append(bytes)
    sent = taken
    count -= taken
  }

  /// Sends what waits and the stream takes.
  mutating func flush(on stream: ByteStream) throws(NetworkError) {
    while next < chunks.count {
      let offset = sent
      let result = chunks[next].withUnsafeBytes { buffer in
        Result { () throws(NetworkError) in
          try stream.write(UnsafeRawBufferPointer(rebasing: buffer[offset...]))
        }
      }
      let taken = try result.get()
      count -= taken
      sent += taken
      if sent < chunks[next].count { return }
      chunks[next] = []
      next += 1
      sent = 0
    }
    clear()
  }

  mutating func clear() { self = SendQueue() }

  private mutating func append(_ bytes: [UInt8]) {
    if bytes.isEmpty { return }
    if next > 64 && next > chunks.count / 2 {
      chunks.removeFirst(next)
      next = 0
    }
    chunks.append(bytes)
    count += bytes.count
  }
}
