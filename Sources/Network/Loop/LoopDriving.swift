import CSys
import Core
import Glibc
import Synchronization

/// How a loop is driven: by `run` on the calling thread, or by a thread of its own.
extension EventLoop {
  fileprivate func begin() {
    let claimed = thread.compareExchange(
      expected: 0, desired: UInt(pthread_self()), ordering: .acquiringAndReleasing
    ).exchanged
    precondition(claimed, "an event loop is driven by one thread at a time")
    isEnding = false
    if !isVirtual {
      turnTime = csys_monotonic_ns() &- epoch
      csys_precise_timers()
    }
  }

  /// Runs `body` as the root task on the loop, which the calling thread drives until it ends.
  ///
  /// Throws what `body` throws, or on the virtual clock a `LoopFailure`: a deadlock (after cancelling the root task once,
  /// so that the tree unwinds), a livelock, or jobs from other threads.
  public func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
    begin()
    defer { thread.store(0, ordering: .releasing) }
    firstForeignJob = nil
    let box = ResultBox<T>()
    // The one task that has no parent: the thread that drives the loop waits for it below.
    let root = Task(name: "root", executorPreference: self) {  // off-loop: it is the root, on this loop
      do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
      self.isEnding = true
    }
    let failure = isVirtual ? driveVirtual(root) : driveMonotonic()
    if let failure { throw failure }
    if isVirtual, let firstForeignJob {
      throw LoopFailure.foreignJob(at: firstForeignJob, count: statistics.foreignJobs)
    }
    guard let result = box.result else { throw CancellationError() }
    return try result.get()
  }

  /// @unchecked: written by the root task and read after it ended, both on the driving thread.
  private final class ResultBox<T>: @unchecked Sendable { var result: Result<T, any Error>? }

  fileprivate func driveMonotonic() -> LoopFailure? {
    guard let poller else { return nil }
    while true {
      runReady()
      if isEnding { return nil }
      statistics.turns &+= 1
      poll(poller)
    }
  }

  private func driveVirtual(_ root: Task<Void, Never>) -> LoopFailure? {
    var deadlock: [String]?
    stepsAtThisTime = 0
    while true {
      runReady()
      if isEnding { break }
      if stepsAtThisTime > livelockLimit { return .livelock(at: now, steps: stepsAtThisTime) }
      statistics.turns &+= 1
      if jump() { continue }
      if let deadlock { return .deadlock(at: now, waiting: deadlock, unwound: false) }
      deadlock = whoWaits()
      root.cancel()
    }
    return deadlock.map { .deadlock(at: now, waiting: $0, unwound: true) }
  }

  /// Those who wait, by name, for the report of a deadlock.
  private func whoWaits() -> [String] {
    let all = waiting.labels + waitReporters.flatMap { $0() }
    let shown = 40
    return all.count <= shown ? all : all.prefix(shown) + ["and \(all.count - shown) more"]
  }

  // MARK: A thread of its own

  /// Drives the loop on a new thread until `stop`. Monotonic clock only.
  public func start() {
    precondition(!isVirtual, "a virtual loop is driven by run")
    precondition(ownThread == nil, "an event loop starts once")
    var id = pthread_t()
    let status = pthread_create(
      &id, nil,
      { argument in
        guard let argument else { return nil }
        let loop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
        csys_thread_name("loop-\(loop.index)")
        loop.begin()
        _ = loop.driveMonotonic()
        loop.thread.store(0, ordering: .releasing)
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    precondition(status == 0, "no thread for an event loop: \(String(cString: strerror(status)))")
    ownThread = id
  }

  /// Ends the thread after its present turn; what is suspended on the loop stays so. From any thread.
  public func stop() {
    foreign.withLock { $0.stop = true }
    signal()
  }

  /// Waits until the thread has ended.
  public func join() {
    guard let id = ownThread else { return }
    pthread_join(id, nil)
    ownThread = nil
  }
}
