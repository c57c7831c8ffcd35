/// A piece of one direction of a connection, or the mark that ends it.
struct Segment {
  enum Mark: Sendable {
    case fin
    case reset
    /// A fault ends the connection here.
    case cut(Cut)
  }

  private var storage: [UInt8]
  private var range: Range<Int>
  /// What ends the direction; then there are no bytes.
  let mark: Mark?

  init(_ bytes: UnsafeRawBufferPointer) {
    storage = Array(bytes)
    range = 0..<bytes.count
    mark = nil
  }

  init(mark: Mark) {
    storage = []
    range = 0..<0
    self.mark = mark
  }

  var count: Int { range.count }

  /// Cuts off the first `count` bytes, which must be there.
  mutating func take(_ count: Int) -> Segment {
    var head = self
    head.range = range.lowerBound..<range.lowerBound + count
    range = range.lowerBound + count..<range.upperBound
    return head
  }

  mutating func edit(by stage: ByteStage) {
    if range.count != storage.count { storage = Array(storage[range]) }
    stage.edit(&storage)
    range = 0..<storage.count
  }

  func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    storage.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}
