import Core
import Network

/// Stops a server for a while, as a stalled process is: nothing is read, answered or accepted, and then it catches up.
///
/// What comes meanwhile waits in the streams, so memory stays bounded and the senders feel backpressure.
/// Confined to its loop.
final class Freezer {
  private let loop: EventLoop
  private var thaw: CallbackTimer?
  private var scheduled: CallbackTimer?
  private(set) var isFrozen = false
  /// When the present freeze ends.
  private(set) var until: Instant = .zero
  /// Told at both edges of a freeze.
  var changed: ((Bool) -> Void)?

  init(loop: EventLoop) { self.loop = loop }

  /// Freezes now; a freeze that is on already lasts at least so long.
  func freeze(for duration: Duration) {
    guard duration > .zero else { return }
    until = max(isFrozen ? until : .zero, loop.now + duration)
    let timer = thaw ?? CallbackTimer { [weak self] in self?.end() }
    thaw = timer
    loop.arm(timer, at: until)
    if !isFrozen {
      isFrozen = true
      changed?(true)
    }
  }

  /// Freezes at an instant to come.
  func schedule(at instant: Instant, for duration: Duration) {
    cancelSchedule()
    let timer = CallbackTimer { [weak self] in self?.freeze(for: duration) }
    scheduled = timer
    loop.arm(timer, at: instant)
  }

  /// Ends a freeze without catching up, and forgets one to come.
  func cancel() {
    cancelSchedule()
    endQuietly()
  }

  /// Ends a freeze without catching up; one to come stays.
  func endQuietly() {
    if let thaw { loop.disarm(thaw) }
    isFrozen = false
  }

  private func cancelSchedule() {
    if let scheduled { loop.disarm(scheduled) }
    scheduled = nil
  }

  private func end() {
    isFrozen = false
    changed?(false)
  }
}
