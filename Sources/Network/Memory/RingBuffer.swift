import Glibc

/// A queue of bytes that grows to what it holds and gives its memory back when it is empty.
struct RingBuffer: ~Copyable {
  /// Below this an empty buffer keeps its memory: most connections carry small messages all the time.
  private static let keptCapacity = 4096
  private var storage: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var head = 0
  private(set) var count = 0

  init() {}

  deinit { storage?.deallocate() }

  /// Appends the first `size` bytes of `bytes`.
  mutating func append(_ bytes: UnsafeRawBufferPointer, _ size: Int) {
    if count + size > capacity { grow(to: count + size) }
    guard size > 0, let storage, let source = bytes.baseAddress else { return }
    let tail = (head + count) & (capacity - 1)
    let first = min(size, capacity - tail)
    memcpy(storage + tail, source, first)
    if size > first { memcpy(storage, source + first, size - first) }
    count += size
  }

  /// Takes the first `size` bytes, which must be there.
  mutating func take(_ size: Int, into buffer: UnsafeMutableRawBufferPointer) {
    guard size > 0, let storage, let target = buffer.baseAddress else { return }
    let first = min(size, capacity - head)
    memcpy(target, storage + head, first)
    if size > first { memcpy(target + first, storage, size - first) }
    drop(size)
  }

  /// Forgets the first `size` bytes, which must be there.
  mutating func drop(_ size: Int) {
    count -= size
    if count > 0 {
      head = (head + size) & (capacity - 1)
    } else {
      head = 0
      if capacity > Self.keptCapacity { free() }
    }
  }

  /// Forgets everything, and the memory.
  mutating func clear() {
    count = 0
    head = 0
    free()
  }

  private mutating func free() {
    storage?.deallocate()
    storage = nil
    capacity = 0
  }

  private mutating func grow(to need: Int) {
    var size = max(256, capacity)
    while size < need { size *= 2 }
    let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    if count > 0, let storage {
      let first = min(count, capacity - head)
      memcpy(grown, storage + head, first)
      memcpy(grown + first, storage, count - first)
    }
    storage?.deallocate()
    storage = grown
    capacity = size
    head = 0
  }
}
