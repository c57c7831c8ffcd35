import CSys
import Core
import Glibc
import Synchronization
import WebSocket

/// One thread's worth of work: an executor for tasks, timers, and (on the machine's clock) readiness of descriptors.
///
/// One type, two clocks. On the monotonic clock a turn waits for descriptors and timers; on the virtual clock nothing
/// waits: when nothing is runnable, time jumps to the next timer. Child tasks of a task on the loop stay on it.
///
/// @unchecked: all fields but `thread`, `foreign`, `foreignFlag` and constants are touched by the driving thread alone.
public final class EventLoop: TaskExecutor, SerialExecutor, @unchecked Sendable {
  public enum Clock: Sendable {
    /// The machine's monotonic clock.
    case monotonic
    /// Time that moves only from timer to timer.
    case virtual
  }

  /// How many times a turn on the machine's clock runs what is runnable before it looks at descriptors again.
  private static let roundsPerTurn = 8

  public let clock: Clock
  /// Which of a run's loops this is, from 0.
  public let index: Int
  /// The machine's monotonic nanoseconds that are `Instant.zero`; loops of one run share it.
  public let epoch: Int64
  /// 64 KiB for reads; what is in it is gone at the next suspension or callback.
  public let scratch: UnsafeMutableRawBufferPointer
  /// Payloads that came last on this loop's WebSockets, shared by those that get the same.
  public let recentPayloads = RecentPayloads()
  /// How late the loop is: once per turn that fires timers, the lateness of the most overdue one and the time. Not called
  /// on the virtual clock.
  public var lagObserver: ((Duration, Instant) -> Void)?
  /// How many jobs and timers may run on the virtual clock without time moving before the run fails.
  public var livelockLimit = 50_000_000
  /// Who else can name waiters, asked only when a deadlock is reported.
  public var waitReporters: [() -> [String]] = []

  // The loop's hot fields: one thread touches them, so dynamic exclusivity checks (3 times the cost of a timer) are off.
  @exclusivity(unchecked) private var virtualTime: Int64 = 0
  @exclusivity(unchecked) var turnTime: Int64 = 0
  @exclusivity(unchecked) private var jobs: [UnownedJob] = []
  @exclusivity(unchecked) private var runningJobs: [UnownedJob] = []
  @exclusivity(unchecked) private var queued: [LoopTimer] = []
  @exclusivity(unchecked) private var runningQueued: [LoopTimer] = []
  @exclusivity(unchecked) private var timers = TimerHeap()
  @exclusivity(unchecked) var sleepers: [Sleeper] = []
  @exclusivity(unchecked) var waiting = WaiterList()
  @exclusivity(unchecked) var spareOutput: [UInt8] = []
  @exclusivity(unchecked) var isEnding = false

  /// Jobs, timers and turns so far; for benchmarks and tests.
  public internal(set) var statistics = LoopStatistics()
  /// Pipes for bytes that only pass between two of this loop's TCP streams.
  public let pipes = PipePool()
  let poller: (any Poller)?
  let isVirtual: Bool
  let thread = Atomic<UInt>(0)
  var ownThread: pthread_t?
  let foreign = Locked(Foreign())
  private let foreignFlag = Atomic<Bool>(false)
  var firstForeignJob: Instant?
  var stepsAtThisTime = 0

  struct Foreign {
    var jobs: [UnownedJob] = []
    var works: [@Sendable () -> Void] = []
    var stop = false
  }

  public init(clock: Clock, index: Int = 0, epoch: Int64? = nil) {
    self.clock = clock
    self.index = index
    isVirtual = clock == .virtual
    self.epoch = epoch ?? csys_monotonic_ns()
    poller = clock == .virtual ? nil : EpollPoller()
    scratch = .allocate(byteCount: 65536, alignment: 16)
  }

  deinit {
    timers.removeAll()
    scratch.deallocate()
  }

  // MARK: Time and place

  /// The virtual time, or a fresh reading of the machine's clock.
  public var now: Instant { Instant(nanoseconds: isVirtual ? virtualTime : csys_monotonic_ns() &- epoch) }

  /// Whether the calling thread drives this loop.
  public var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Whether the calling thread may touch what is confined to this loop: it drives it, or nobody does.
  public var isConfined: Bool {
    let driver = thread.load(ordering: .relaxed)
    return driver == UInt(pthread_self()) || driver == 0
  }

  // MARK: Executor

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOnLoop {
      jobs.append(job)
    } else {
      foreign.withLock { $0.jobs.append(job) }
      signal()
    }
  }

  public func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
  public func checkIsolated() { precondition(isOnLoop, "off its event loop") }
  public func isIsolatingCurrentContext() -> Bool? { isOnLoop }

  /// Runs `work` on the loop, from any thread, after what is runnable now. On the virtual clock this is for signals from
  /// outside: when it runs depends on the machine, and it is counted (`statistics.foreignWorks`).
  public func post(_ work: @escaping @Sendable () -> Void) {
    foreign.withLock { $0.works.append(work) }
    signal()
  }

  /// Runs `work` at once when on the loop, else posts it.
  public func execute(_ work: @escaping @Sendable () -> Void) { if isOnLoop { work() } else { post(work) } }

  func signal() {
    if !foreignFlag.exchange(true, ordering: .acquiringAndReleasing) { poller?.wake() }
  }

  private func takeForeign() {
    // Cleared before taking: whoever adds from here on signals again.
    foreignFlag.store(false, ordering: .sequentiallyConsistent)
    let taken = foreign.withLock { state in
      let taken = state
      state.jobs = []
      state.works = []
      return taken
    }
    if taken.stop { isEnding = true }
    if !taken.jobs.isEmpty {
      statistics.foreignJobs &+= taken.jobs.count
      if firstForeignJob == nil { firstForeignJob = now }
      jobs.append(contentsOf: taken.jobs)
    }
    statistics.foreignWorks &+= taken.works.count
    for work in taken.works { work() }
  }

  // MARK: Timers

  /// Fires `timer` at `deadline`, or with the next turn if that is past. Arming again moves it.
  public func arm(_ timer: LoopTimer, at deadline: Instant) {
    assert(isConfined, "a timer was armed off its loop")
    if timer.slot >= 0 { timers.remove(timer) }
    timer.deadline = deadline
    // A deadline in the past counts as now, else it would read as lateness of the loop.
    timers.insert(timer, deadline: max(deadline.nanoseconds, isVirtual ? virtualTime : turnTime))
  }

  /// Takes `timer` out of the heap and out of this turn's queue.
  public func disarm(_ timer: LoopTimer) {
    assert(isConfined, "a timer was disarmed off its loop")
    timer.isQueued = false
    if timer.slot >= 0 { timers.remove(timer) }
  }

  /// Fires `timer` in this turn, after what runs now has returned; asking twice fires once. A deadline it is armed for
  /// stays.
  public func soon(_ timer: LoopTimer) {
    assert(isConfined, "a timer was queued off its loop")
    if timer.isQueued { return }
    timer.isQueued = true
    queued.append(timer)
  }

  /// How many timers are armed.
  public var armedTimers: Int { timers.count }

  private func fireDue(_ time: Int64) {
    guard let first = timers.first, first <= time else { return }
    if !isVirtual, let lagObserver { lagObserver(.nanoseconds(time &- first), Instant(nanoseconds: time)) }
    // A timer that arms itself for now waits for the next turn, so that jobs and descriptors get theirs.
    let last = timers.sequence
    while let timer = timers.popDue(time, armedBy: last) {
      statistics.timersFired &+= 1
      stepsAtThisTime &+= 1
      timer.fire()
    }
  }

  // MARK: Turns

  func runReady() {
    let executor = asUnownedTaskExecutor()
    var rounds = 0
    while !isEnding && !(jobs.isEmpty && queued.isEmpty) {
      if !jobs.isEmpty {
        swap(&jobs, &runningJobs)
        statistics.jobs &+= runningJobs.count
        stepsAtThisTime &+= runningJobs.count
        for job in runningJobs { job.runSynchronously(on: executor) }
        runningJobs.removeAll(keepingCapacity: true)
      }
      if !queued.isEmpty {
        swap(&queued, &runningQueued)
        stepsAtThisTime &+= runningQueued.count
        for timer in runningQueued where timer.isQueued {
          timer.isQueued = false
          timer.fire()
        }
        runningQueued.removeAll(keepingCapacity: true)
      }
      rounds += 1
      if isVirtual ? stepsAtThisTime > livelockLimit : rounds >= Self.roundsPerTurn { break }
    }
  }

  /// Jumps to the next timer; false if there is none and nothing came from outside.
  func jump() -> Bool {
    if foreignFlag.load(ordering: .acquiring) {
      takeForeign()
      return true
    }
    guard let next = timers.first else { return false }
    if next > virtualTime {
      virtualTime = next
      stepsAtThisTime = 0
    }
    fireDue(virtualTime)
    return true
  }

  func poll(_ poller: any Poller) {
    var timeout: Int64?
    if !jobs.isEmpty || !queued.isEmpty {
      timeout = 0
    } else if let next = timers.first {
      timeout = max(0, next &- (csys_monotonic_ns() &- epoch))
    }
    poller.wait(nanoseconds: timeout)
    turnTime = csys_monotonic_ns() &- epoch
    if foreignFlag.load(ordering: .acquiring) { takeForeign() }
    fireDue(turnTime)
  }
}
