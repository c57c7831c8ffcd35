import Core

extension EventLoop {
  /// Suspends the calling task until `deadline`; a deadline that is past lets the rest of the turn run first.
  public func sleep(until deadline: Instant) async throws(CancellationError) {
    assert(isOnLoop, "slept off the loop")
    let sleeper = sleepers.popLast() ?? Sleeper()
    sleeper.ticket &+= 1
    let ticket = sleeper.ticket
    let slept = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Bool, Never>) in
        if Task.isCancelled {
          continuation.resume(returning: false)
        } else {
          sleeper.continuation = continuation
          arm(sleeper, at: deadline)
        }
      }
    } onCancel: {
      execute { if sleeper.ticket == ticket { sleeper.cancel(on: self) } }
    }
    sleeper.ticket &+= 1
    sleepers.append(sleeper)
    if !slept { throw CancellationError() }
  }

  /// Suspends the calling task for `duration`.
  public func sleep(for duration: Duration) async throws(CancellationError) { try await sleep(until: now + duration) }
}

/// The timer behind one sleeping task; pooled by the loop, so that a sleep allocates nothing.
///
/// @unchecked: confined to its loop; `ticket` tells one use from the next.
final class Sleeper: LoopTimer, @unchecked Sendable {
  var continuation: UnsafeContinuation<Bool, Never>?
  var ticket = 0

  override func fire() {
    guard let continuation else { return }
    self.continuation = nil
    continuation.resume(returning: true)
  }

  func cancel(on loop: EventLoop) {
    guard let continuation else { return }
    self.continuation = nil
    loop.disarm(self)
    continuation.resume(returning: false)
  }
}
