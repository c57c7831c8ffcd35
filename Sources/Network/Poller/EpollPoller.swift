import CSys
import Glibc

/// Stands where no descriptor is watched.
private final class Nobody: ReadinessHandler, Sendable {
  static let shared = Nobody()
  func ready(_ readiness: Readiness) {}
}

/// Readiness on Linux: epoll for descriptors, an eventfd to wake it.
final class EpollPoller: Poller {
  private struct Slot {
    /// Counts the uses of a descriptor's number: within one batch of events a number can be closed and given out again.
    var generation: UInt32 = 0
    // The handler removes itself before it goes (`Poller.add`). Not an optional: in Swift 6.3 an optional of a struct
    // with an `unowned(unsafe)` optional existential that is nil reads as present, so that sequences of it never end.
    unowned(unsafe) var handler: any ReadinessHandler = Nobody.shared
  }

  private static let batchSize = 256
  private static let wakeData = UInt64.max
  private static let timerData = UInt64.max - 1

  private let descriptor: Int32
  private let wakeup: Int32
  /// Only on kernels without `epoll_pwait2`.
  private var timer: Int32 = -1
  private var slots: [Slot] = []
  private let events = UnsafeMutablePointer<csys_event>.allocate(capacity: batchSize)

  /// - Parameter usesTimerDescriptor: true where it is known that the kernel lacks `epoll_pwait2`; else it is found out.
  init(usesTimerDescriptor: Bool = false) {
    descriptor = csys_poll_create()
    wakeup = csys_wakeup_create()
    let added = csys_poll_add_level(descriptor, wakeup, Self.wakeData)
    precondition(added >= 0, "no descriptors left for an event loop: \(String(cString: strerror(-added)))")
    if usesTimerDescriptor { useTimerDescriptor() }
  }

  deinit {
    events.deallocate()
    if timer >= 0 { _ = csys_close(timer) }
    _ = csys_close(wakeup)
    _ = csys_close(descriptor)
  }

  func add(_ descriptor: Int32, _ handler: any ReadinessHandler) throws(NetworkError) {
    let index = Int(descriptor)
    while slots.count <= index { slots.append(Slot()) }
    slots[index].generation &+= 1
    slots[index].handler = handler
    let data = UInt64(slots[index].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    let result = csys_poll_add(self.descriptor, descriptor, data)
    if result < 0 {
      slots[index].handler = Nobody.shared
      throw NetworkError(errno: -result)
    }
  }

  func replace(_ descriptor: Int32, _ handler: any ReadinessHandler) { slots[Int(descriptor)].handler = handler }

  func remove(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard index < slots.count else { return }
    slots[index].handler = Nobody.shared
    _ = csys_poll_remove(self.descriptor, descriptor)
  }

  func wait(nanoseconds: Int64?) {
    var timeout = nanoseconds ?? -1
    if timeout > 0 && timer >= 0 {
      _ = csys_timer_set(timer, timeout)
      timeout = -1
    }
    var count = csys_poll_wait(descriptor, events, Int32(Self.batchSize), timeout, 1)
    if count == -ENOSYS || count == -EPERM {
      useTimerDescriptor()
      count = csys_poll_wait(descriptor, events, Int32(Self.batchSize), timeout, 0)
    }
    guard count > 0 else { return }
    for index in 0..<Int(count) { dispatch(events[index]) }
  }

  func wake() { csys_wakeup_signal(wakeup) }

  private func dispatch(_ event: csys_event) {
    switch event.data {
    case Self.wakeData, Self.timerData:
      csys_wakeup_drain(event.data == Self.wakeData ? wakeup : timer)
    default:
      let index = Int(event.data & 0xFFFF_FFFF)
      guard slots[index].generation == UInt32(event.data >> 32) else { return }
      slots[index].handler.ready(Readiness(rawValue: event.events))
    }
  }

  private func useTimerDescriptor() {
    timer = csys_timer_create()
    if timer >= 0 { _ = csys_poll_add_level(descriptor, timer, Self.timerData) }
  }
}
