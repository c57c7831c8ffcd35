import Core
import Network
import TestSupport
import Testing

/// What tasks write to and the test reads afterwards.
///
/// @unchecked: confined to the loop of its test.
final class Record<Value>: @unchecked Sendable { var values: [Value] = [] }

@Test func timersFireInOrderOfDeadlineAndThenOfArming() throws {
  let world = VirtualWorld()
  let fired = Record<String>()
  try world.run {
    let timers = ["c", "a", "b", "d"].map { name in CallbackTimer { fired.values.append(name) } }
    for (timer, at) in zip(timers, [20.0, 10, 10, 30]) { world.loop.arm(timer, at: .milliseconds(at)) }
    try await world.sleep(.seconds(1))
  }
  #expect(fired.values == ["a", "b", "c", "d"])
}

@Test func aDisarmedTimerLeavesTheHeap() throws {
  let world = VirtualWorld()
  let fired = Record<Int>()
  try world.run {
    let timers = (0..<100).map { number in CallbackTimer { fired.values.append(number) } }
    for (number, timer) in timers.enumerated() { world.loop.arm(timer, at: .milliseconds(Double(100 - number))) }
    for timer in timers.dropFirst(2) { world.loop.disarm(timer) }
    #expect(world.loop.armedTimers == 2)
    #expect(timers[0].isArmed && !timers[50].isArmed)
    try await world.sleep(.seconds(1))
  }
  #expect(fired.values == [1, 0])
}

@Test func armingAgainMovesATimer() throws {
  let world = VirtualWorld()
  let fired = Record<Instant>()
  try world.run {
    let timer = CallbackTimer { fired.values.append(world.now) }
    world.loop.arm(timer, at: .seconds(1))
    world.loop.arm(timer, at: .seconds(2))
    try await world.sleep(.seconds(5))
  }
  #expect(fired.values == [.seconds(2)])
}

@Test func sleepsEndToTheNanosecond() throws {
  let world = VirtualWorld()
  try world.run {
    try await world.loop.sleep(for: .nanoseconds(1))
    #expect(world.now.nanoseconds == 1)
    try await world.loop.sleep(until: Instant(nanoseconds: 123_456_789))
    #expect(world.now.nanoseconds == 123_456_789)
  }
}

@Test func aThousandTasksSleepTenMinutesWithoutWaiting() throws {
  let world = VirtualWorld()
  let ticks = try world.run {
    let ticks = Record<Int>()
    await withDiscardingTaskGroup { group in
      for client in 0..<1000 {
        group.addTask {
          for _ in 0..<24 { try? await world.sleep(.seconds(25)) }
          ticks.values.append(client)
        }
      }
    }
    return ticks.values
  }
  #expect(ticks == Array(0..<1000))
  #expect(world.now == .seconds(600))
  #expect(world.loop.statistics.foreignJobs == 0)
}

@Test func aDeadlockNamesWhoWaitsAndEndsTheTree() {
  let world = VirtualWorld()
  let unwound = Record<Bool>()
  #expect(throws: LoopFailure.deadlock(at: .seconds(3), waiting: ["client 7 waits for a room"], unwound: true)) {
    try world.run {
      let waiter = Waiter(loop: world.loop, label: "client 7 waits for a room")
      try await world.sleep(.seconds(3))
      defer { unwound.values.append(true) }
      try await waiter.wait()
    }
  }
  #expect(unwound.values == [true])
}

@Test func aDeadlockThatCancellingCannotEndIsReportedToo() {
  let world = VirtualWorld()
  #expect(throws: LoopFailure.deadlock(at: .zero, waiting: [], unwound: false)) {
    try world.run { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
  }
}

@Test func timeThatStandsStillIsALivelock() {
  let world = VirtualWorld()
  world.loop.livelockLimit = 10_000
  #expect {
    try world.run {
      while true { try await world.loop.sleep(for: .zero) }
    }
  } throws: { error in
    guard case .livelock(at: .zero, _)? = error as? LoopFailure else { return false }
    return true
  }
}

@Test func aJobFromAnotherThreadFailsAVirtualRun() {
  let world = VirtualWorld()
  #expect {
    try world.run {
      let helper = EventLoop(clock: .monotonic)
      helper.start()
      await withTaskGroup(of: Void.self) { group in
        // Resumed on this loop by the helper's thread.
        group.addTask {
          await withTaskGroup(of: Void.self) { inner in inner.addTask(executorPreference: helper) {} }
        }
        // Keeps the virtual loop busy until then.
        while world.loop.statistics.foreignJobs == 0 { try? await world.loop.sleep(for: .nanoseconds(1)) }
      }
      helper.stop()
      helper.join()
    }
  } throws: { error in
    guard case .foreignJob? = error as? LoopFailure else { return false }
    return true
  }
}

@Test func whatTheBodyThrowsIsThrown() {
  struct Mine: Error {}
  #expect(throws: Mine.self) { try VirtualWorld().run { throw Mine() } }
}

@Test func cancellingAGroupEndsSleepsInTheOrderOfAdding() throws {
  let world = VirtualWorld()
  let ended = Record<Int>()
  try world.run {
    await withDiscardingTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          do throws(CancellationError) { try await world.loop.sleep(for: .seconds(100)) } catch {
            ended.values.append(number)
          }
        }
      }
      try? await world.sleep(.seconds(1))
      group.cancelAll()
    }
  }
  #expect(ended.values == Array(0..<8))
  #expect(world.now == .seconds(1))
  #expect(world.loop.armedTimers == 0)
}

@Test func aSignalBeforeTheWaitIsNotLost() throws {
  let world = VirtualWorld()
  try world.run {
    let waiter = Waiter(loop: world.loop, label: "test")
    waiter.signal()
    waiter.signal()
    try await waiter.wait()
    let again = try await withThrowingTaskGroup(of: Instant.self) { group in
      group.addTask {
        try await waiter.wait()
        return world.now
      }
      try await world.sleep(.seconds(2))
      waiter.signal()
      return try await group.next()
    }
    #expect(again == .seconds(2))
  }
}

@Test func aWaitIsCancellable() throws {
  let world = VirtualWorld()
  try world.run {
    let waiter = Waiter(loop: world.loop, label: "test")
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await #expect(throws: CancellationError.self) { try await waiter.wait() } }
      try? await world.sleep(.seconds(2))
      group.cancelAll()
    }
    #expect(!waiter.isWaiting)
  }
}

@Test func childTasksStayOnTheLoop() throws {
  let world = VirtualWorld()
  let places = Record<Bool>()
  try world.run {
    let note: @Sendable () async -> Void = { places.values.append(world.loop.isOnLoop) }
    await withDiscardingTaskGroup { group in
      group.addTask { await note() }
      group.addTask(executorPreference: world.loop) { await note() }
      group.addTask { await withTaskGroup(of: Void.self) { inner in inner.addTask { await note() } } }
    }
    async let one: Void = note()
    await one
  }
  #expect(places.values == [true, true, true, true])
}

@Test func queuedTimersFireInThisTurnOnceAndWithoutRecursion() throws {
  let world = VirtualWorld()
  let fired = Record<Instant>()
  try world.run {
    let timer = CallbackTimer { fired.values.append(world.now) }
    let gone = CallbackTimer { fired.values.append(.distantFuture) }
    world.loop.soon(timer)
    world.loop.soon(timer)
    world.loop.soon(gone)
    world.loop.disarm(gone)
    #expect(fired.values.isEmpty)
    try await world.sleep(.seconds(1))
  }
  #expect(fired.values == [.zero])
}

@Test func twoRunsWithOneSeedDoTheSame() throws {
  @Sendable func trace(seed: UInt64) throws -> [String] {
    let world = VirtualWorld(seed: seed)
    world.network.jitter = .milliseconds(5)
    let trace = Record<String>()
    try world.run {
      await withDiscardingTaskGroup { group in
        for client in 0..<50 {
          group.addTask {
            var random = SeededRandom(seed: seed, purpose: .test, subject: UInt64(client))
            let (left, right) = world.network.pair()
            let (a, b) = (RecordingStreamHandler(left), RecordingStreamHandler(right))
            for _ in 0..<10 {
              try? await world.loop.sleep(for: .fractionalSeconds(random.unit()))
              a.write([UInt8](repeating: 1, count: 100))
              try? await b.wait(bytes: b.received.count + 100)
              trace.values.append("\(client) \(world.now.nanoseconds)")
            }
          }
        }
      }
    }
    return trace.values
  }
  let first = try trace(seed: 3)
  #expect(first.count == 500)
  #expect(try trace(seed: 3) == first)
  #expect(try trace(seed: 4) != first)
}

@Test func theMachinesClockRunsTimersAndWorkFromOtherThreads() throws {
  let loop = EventLoop(clock: .monotonic)
  let other = EventLoop(clock: .monotonic, index: 1, epoch: loop.epoch)
  other.start()
  let value = try loop.run {
    try await loop.sleep(for: .milliseconds(2))
    #expect(loop.now >= .milliseconds(2))
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask(executorPreference: other) { other.isOnLoop && !loop.isOnLoop }
      return await group.next() == true && loop.isOnLoop
    }
  }
  #expect(value)
  other.stop()
  other.join()
}

@Test func theLoopTellsHowLateItIs() throws {
  let loop = EventLoop(clock: .monotonic)
  let lags = Record<Duration>()
  loop.lagObserver = { lag, _ in lags.values.append(lag) }
  try loop.run {
    let timer = CallbackTimer {}
    loop.arm(timer, at: loop.now + .milliseconds(1))
    // Keeps the loop busy past the deadline, as a heavy callback would.
    let until = loop.now + .milliseconds(6)
    while loop.now < until {}
    try await loop.sleep(for: .milliseconds(1))
  }
  #expect(lags.values.first.map { $0 >= .milliseconds(4) } == true)
  // A deadline that was past when it was armed is no lateness.
  lags.values = []
  try loop.run {
    try await loop.sleep(until: loop.now - .seconds(5))
  }
  #expect(lags.values.allSatisfy { $0 < .seconds(1) })
}

@Test func workFromOutsideReachesAVirtualRunAndIsCounted() throws {
  let world = VirtualWorld()
  let helper = EventLoop(clock: .monotonic)
  helper.start()
  try world.run {
    let waiter = Waiter(loop: world.loop, label: "signal from outside")
    helper.post { world.loop.post { waiter.signal() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await waiter.wait() }
      group.addTask {
        while world.loop.statistics.foreignWorks == 0 { try await world.loop.sleep(for: .nanoseconds(1)) }
      }
      try await group.waitForAll()
    }
  }
  #expect(world.loop.statistics.foreignWorks == 1)
  helper.stop()
  helper.join()
}

@Test func aSleepIsCancelledFromAnotherThread() throws {
  let loop = EventLoop(clock: .monotonic)
  let other = EventLoop(clock: .monotonic)
  other.start()
  try loop.run {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await #expect(throws: CancellationError.self) { try await loop.sleep(for: .seconds(3600)) } }
      let copy = group
      await withTaskGroup(of: Void.self) { inner in
        inner.addTask(executorPreference: other) { [canceller = Canceller(copy)] in canceller.cancel() }
      }
    }
  }
  other.stop()
  other.join()
}

/// @unchecked: a task group may be cancelled from any thread; only its type does not say so.
private struct Canceller: @unchecked Sendable {
  let group: TaskGroup<Void>
  init(_ group: TaskGroup<Void>) { self.group = group }
  func cancel() { group.cancelAll() }
}
