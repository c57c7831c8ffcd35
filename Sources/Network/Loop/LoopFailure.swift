import Core

/// Why a run on a virtual clock could not be finished, or cannot be trusted.
public enum LoopFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// Nothing was runnable and no timer armed. `waiting` names who waited; `unwound` tells whether cancelling the root
  /// task ended it.
  case deadlock(at: Instant, waiting: [String], unwound: Bool)
  /// Time stood still for too many jobs and timers.
  case livelock(at: Instant, steps: Int)
  /// Jobs came from other threads: the order of the run depended on them.
  case foreignJob(at: Instant, count: Int)

  public var description: String {
    switch self {
    case .deadlock(let time, let waiting, let unwound):
      let who =
        waiting.isEmpty
        ? "something is suspended off the loop (Task.sleep, Task {}, the main actor?)"  // off-loop: a text
        : "waiting: " + waiting.joined(separator: "; ")
      return "deadlock at \(time): nothing can run and no timer is armed; \(who)"
        + (unwound ? "" : "; cancelling the run did not end it")
    case .livelock(let time, let steps):
      return "livelock at \(time): \(steps) jobs and timers ran and time did not move"
    case .foreignJob(let time, let count):
      return "\(count) job(s) came from another thread, the first at \(time): a virtual run must stay on its loop"
        + " (Task.sleep, Task {}, the main actor?)"  // off-loop: a text
    }
  }
}
