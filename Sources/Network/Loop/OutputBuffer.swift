extension EventLoop {
  /// Lends the loop's buffer for encoding what is sent at once, so that a send allocates nothing. It comes empty.
  func withOutput<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
    // Swapped out: a body that comes back here gets a buffer of its own.
    var buffer: [UInt8] = []
    swap(&buffer, &spareOutput)
    defer {
      if buffer.capacity <= 1 << 18 {
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &spareOutput)
      }
    }
    return body(&buffer)
  }
}
