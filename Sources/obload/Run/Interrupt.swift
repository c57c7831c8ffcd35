import Dispatch
import Glibc
import Network
import Synchronization

/// SIGINT and SIGTERM as something a run can wait for; a second signal ends the process at once.
///
/// @unchecked: its state is atomic, and the waiter is only touched on its loop.
final class Interrupt: @unchecked Sendable {
  private let waiter: Waiter
  private let loop: EventLoop
  private let signalled = Atomic<Bool>(false)
  private var sources: [any DispatchSourceSignal] = []

  init(loop: EventLoop) {
    self.loop = loop
    waiter = Waiter(loop: loop, label: "an interrupt")
  }

  var isSignalled: Bool { signalled.load(ordering: .relaxed) }

  /// Starts listening for signals of the process.
  func listen() {
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [weak self] in self?.trigger() }
      source.resume()
      sources.append(source)
    }
  }

  /// What a signal does; any thread.
  func trigger() {
    if signalled.exchange(true, ordering: .relaxed) { _exit(130) }
    loop.post { [waiter] in waiter.signal() }
  }

  /// Returns when interrupted, or when the task is cancelled.
  func wait() async { try? await waiter.wait() }
}
