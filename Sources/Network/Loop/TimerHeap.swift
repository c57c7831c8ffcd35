import Core

/// The armed timers of a loop: a 4-ary heap of intrusive nodes, earliest deadline first, equal deadlines in the order of
/// arming. Holds a reference to each.
struct TimerHeap {
  private struct Item {
    var deadline: Int64
    var sequence: UInt64
    var timer: Unmanaged<LoopTimer>
  }

  private var items: [Item] = []
  /// The number of the last arming.
  private(set) var sequence: UInt64 = 0

  var count: Int { items.count }
  /// Nanoseconds of the earliest deadline.
  var first: Int64? { items.first?.deadline }

  mutating func insert(_ timer: LoopTimer, deadline: Int64) {
    sequence &+= 1
    items.append(Item(deadline: deadline, sequence: sequence, timer: .passRetained(timer)))
    siftUp(items.count - 1)
  }

  /// Takes `timer` out; it must be armed here.
  mutating func remove(_ timer: LoopTimer) {
    let index = timer.slot
    let item = items[index]
    timer.slot = -1
    removeItem(at: index)
    item.timer.release()
  }

  /// Takes out the earliest timer that is due at `time` and was armed no later than the arming `last`.
  mutating func popDue(_ time: Int64, armedBy last: UInt64) -> LoopTimer? {
    guard let item = items.first, item.deadline <= time, item.sequence <= last else { return nil }
    removeItem(at: 0)
    let timer = item.timer.takeRetainedValue()
    timer.slot = -1
    return timer
  }

  mutating func removeAll() {
    let all = items
    items = []
    for item in all {
      item.timer._withUnsafeGuaranteedRef { $0.slot = -1 }
      item.timer.release()
    }
  }

  private mutating func removeItem(at index: Int) {
    let last = items.removeLast()
    if index == items.count { return }
    items[index] = last
    if index > 0 && Self.precedes(last, items[(index - 1) >> 2]) { siftUp(index) } else { siftDown(index) }
  }

  private static func precedes(_ a: Item, _ b: Item) -> Bool {
    a.deadline != b.deadline ? a.deadline < b.deadline : a.sequence < b.sequence
  }

  private mutating func siftUp(_ start: Int) {
    items.withUnsafeMutableBufferPointer { heap in
      var index = start
      let item = heap[index]
      while index > 0 {
        let parent = (index - 1) >> 2
        if !Self.precedes(item, heap[parent]) { break }
        heap[index] = heap[parent]
        heap[index].timer._withUnsafeGuaranteedRef { $0.slot = index }
        index = parent
      }
      heap[index] = item
      item.timer._withUnsafeGuaranteedRef { $0.slot = index }
    }
  }

  private mutating func siftDown(_ start: Int) {
    items.withUnsafeMutableBufferPointer { heap in
      var index = start
      let item = heap[index]
      let count = heap.count
      while true {
        let firstChild = 4 * index + 1
        if firstChild >= count { break }
        var least = firstChild
        var child = firstChild + 1
        let end = min(firstChild + 4, count)
        while child < end {
          if Self.precedes(heap[child], heap[least]) { least = child }
          child += 1
        }
        if !Self.precedes(heap[least], item) { break }
        heap[index] = heap[least]
        heap[index].timer._withUnsafeGuaranteedRef { $0.slot = index }
        index = least
      }
      heap[index] = item
      item.timer._withUnsafeGuaranteedRef { $0.slot = index }
    }
  }
}
