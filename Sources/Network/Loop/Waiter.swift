import Core

/// A place where one task waits for a signal. A signal before the wait is not lost; several before it count as one.
///
/// @unchecked: confined to its loop; a cancellation from another thread goes through `EventLoop.execute`.
public final class Waiter: @unchecked Sendable {
  public let loop: EventLoop
  /// Who waits here and for what, for the report of a deadlock.
  public let label: String
  private var continuation: UnsafeContinuation<Bool, Never>?
  private var isSignalled = false
  /// Tells one wait from the next, so that a late cancellation hits the one it was meant for.
  private var ticket = 0
  // The loop's list of those who wait now, in the order in which they began. A waiter is in it only while a suspended
  // call of `wait` keeps it alive.
  unowned(unsafe) var previousWaiting: Waiter?
  unowned(unsafe) var nextWaiting: Waiter?

  public init(loop: EventLoop, label: String) {
    self.loop = loop
    self.label = label
  }

  /// Whether a task waits here now.
  public var isWaiting: Bool { continuation != nil }

  /// Returns once signalled. Throws at once if the task is cancelled, before or while waiting.
  public func wait() async throws(CancellationError) {
    assert(loop.isOnLoop, "\(label): waited off its loop")
    assert(continuation == nil, "\(label): two tasks wait")
    if Task.isCancelled { throw CancellationError() }
    if isSignalled {
      isSignalled = false
      return
    }
    ticket &+= 1
    let mine = ticket
    let signalled = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Bool, Never>) in
        if Task.isCancelled {
          continuation.resume(returning: false)
        } else {
          self.continuation = continuation
          loop.waiting.append(self)
        }
      }
    } onCancel: {
      loop.execute { if self.ticket == mine { self.finish(false) } }
    }
    if !signalled { throw CancellationError() }
  }

  /// Wakes the task that waits, or lets the next wait return at once.
  public func signal() {
    assert(loop.isConfined, "\(label): signalled off its loop")
    if continuation == nil { isSignalled = true } else { finish(true) }
  }

  /// Forgets a signal that nobody has waited for.
  public func clear() { isSignalled = false }

  private func finish(_ signalled: Bool) {
    guard let continuation else { return }
    self.continuation = nil
    loop.waiting.remove(self)
    continuation.resume(returning: signalled)
  }
}

/// The waiters of a loop that wait now; an intrusive list, in the order in which they began.
struct WaiterList {
  private unowned(unsafe) var first: Waiter?
  private unowned(unsafe) var last: Waiter?

  mutating func append(_ waiter: Waiter) {
    waiter.previousWaiting = last
    waiter.nextWaiting = nil
    if let last { last.nextWaiting = waiter } else { first = waiter }
    last = waiter
  }

  mutating func remove(_ waiter: Waiter) {
    if let previous = waiter.previousWaiting {
      previous.nextWaiting = waiter.nextWaiting
    } else {
      first = waiter.nextWaiting
    }
    if let next = waiter.nextWaiting {
      next.previousWaiting = waiter.previousWaiting
    } else {
      last = waiter.previousWaiting
    }
    waiter.previousWaiting = nil
    waiter.nextWaiting = nil
  }

  var labels: [String] {
    var labels: [String] = []
    var next = first
    while let waiter = next {
      labels.append(waiter.label)
      next = waiter.nextWaiting
    }
    return labels
  }
}
