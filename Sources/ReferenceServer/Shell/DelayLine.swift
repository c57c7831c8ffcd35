import Core
import Network

/// Messages that wait for a server's processing delay to pass, in the order in which they came.
///
/// @unchecked: confined to its loop.
final class DelayLine: LoopTimer, @unchecked Sendable {
  struct Entry {
    var due: Instant
    var slot: Int
    /// Of the connection that had the slot when it came.
    var number: UInt64
    var isText: Bool
    var payload: [UInt8]
  }

  private unowned let loop: EventLoop
  private let limit: Int
  private var entries: [Entry] = []
  private var head = 0
  var deliver: ((Entry) -> Void)?
  /// When a freeze that is on ends: nothing is delivered before it.
  var heldUntil: () -> Instant = { .zero }

  init(loop: EventLoop, limit: Int) {
    self.loop = loop
    self.limit = limit
  }

  var count: Int { entries.count - head }

  /// False if too many wait already.
  func append(_ entry: Entry) -> Bool {
    guard count < limit else { return false }
    entries.append(entry)
    if count == 1 { loop.arm(self, at: max(entry.due, heldUntil())) }
    return true
  }

  override func fire() {
    while head < entries.count {
      let due = max(entries[head].due, heldUntil())
      if due > loop.now { return loop.arm(self, at: due) }
      let entry = entries[head]
      entries[head].payload = []
      head += 1
      if head >= 64 && head * 2 >= entries.count {
        entries.removeFirst(head)
        head = 0
      }
      deliver?(entry)
    }
    entries.removeAll(keepingCapacity: true)
    head = 0
  }

  func cancel() {
    loop.disarm(self)
    entries = []
    head = 0
  }
}
