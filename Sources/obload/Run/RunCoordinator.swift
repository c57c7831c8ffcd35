import ClientSim
import Core
import Metrics
import Network
import Reporting

/// Carries a scenario out as one task tree: run → one worker per loop → one child task per client.
///
/// The calling thread drives the first loop; further loops and an embedded server have threads of their own. A virtual
/// run has one loop, and everything is on it.
struct RunCoordinator {
  let scenario: Scenario
  let options: RunOptions
  /// Told from the first loop, about once a second; nil for a run nobody watches.
  var progress: (@Sendable (RunProgress) -> Void)?
  /// Whether signals of the process end the run.
  var listensForSignals = false

  /// What came of a run, before budgets and clauses are asked.
  struct Result: Sendable {
    var record: RunRecord
    /// Reasons that are known already: interrupted, target unreachable, not settled.
    var reasons: [ExitReason]
  }

  /// - Throws: `LoopFailure` when a virtual run is stuck, with who waits.
  func run() throws -> Result {
    let found: SocketAddress?
    do {
      found = try Upstream.find(scenario.target)
    } catch let error as NetworkError {
      return Result(record: emptyRecord, reasons: [ExitReason(.noVerdict, "target unreachable: \(error)")])
    }
    let plan = LoopPlan(scenario: scenario, options: options)
    plan.startThreads()
    defer { plan.stopThreads() }
    let interrupt = Interrupt(loop: plan.main)
    if listensForSignals { interrupt.listen() }
    return try plan.main.run { await carryOut(plan, interrupt, found) }
  }

  private func carryOut(_ plan: LoopPlan, _ interrupt: Interrupt, _ found: SocketAddress?) async -> Result {
    let upstream: Upstream
    do throws(NetworkError) {
      upstream = try await Upstream.prepare(scenario.target, found: found, plan)
    } catch {
      return Result(
        record: emptyRecord, reasons: [ExitReason(.noVerdict, "the embedded server cannot start: \(error)")])
    }
    defer { upstream.close() }
    let workers: [Worker]
    do throws(NetworkError) {
      workers = try await makeWorkers(plan, upstream)
    } catch {
      return Result(record: emptyRecord, reasons: [ExitReason(.noVerdict, "the proxy cannot listen: \(error)")])
    }
    var reasons = await carryOut(workers, plan, interrupt)
    var record: RunRecord?
    for part in await each(workers, { $0.finish() }) {
      guard record != nil else {
        record = part
        continue
      }
      do throws(MetricMergeError) {
        try record?.merge(part)
      } catch {
        reasons.append(ExitReason(.noVerdict, "a part of the run is missing, because its figures do not fit: \(error)"))
      }
    }
    if !interrupt.isSignalled, let record, !record.shards.allSatisfy(\.settled) {
      reasons.append(
        ExitReason(
          .noVerdict,
          "not settled: \(Quantity.text(scenario.settle)) after the workload not everything wanted was live and quiet"))
    }
    return Result(record: record ?? emptyRecord, reasons: reasons)
  }

  private enum Ended: Sendable { case phases, interrupted, other }

  /// The run itself; what is measured stays with the workers.
  private func carryOut(_ workers: [Worker], _ plan: LoopPlan, _ interrupt: Interrupt) async -> [ExitReason] {
    let loop = plan.main
    let start = Instant.zero
    return await withTaskGroup(of: Ended.self) { group in
      for worker in workers {
        group.addTask(name: "worker \(worker.index)", executorPreference: worker.loop) {
          await worker.run(from: start)
          return .other
        }
      }
      group.addTask(name: "phases", executorPreference: loop) {
        await goThroughPhases(workers, loop, start)
        return .phases
      }
      group.addTask(name: "interrupt", executorPreference: loop) {
        await interrupt.wait()
        return interrupt.isSignalled ? .interrupted : .other
      }
      if progress != nil {
        group.addTask(name: "progress", executorPreference: loop) {
          await report(workers, loop, start)
          return .other
        }
      }
      var reasons: [ExitReason] = []
      for await ended in group where ended != .other {
        if ended == .interrupted {
          reasons.append(ExitReason(.interrupted, "interrupted after \(Quantity.text(loop.now - start))"))
          _ = await each(workers) { $0.interrupted() }
        }
        group.cancelAll()
      }
      return reasons
    }
  }

  private func goThroughPhases(_ workers: [Worker], _ loop: EventLoop, _ start: Instant) async {
    do throws(CancellationError) {
      try await loop.sleep(until: start + scenario.duration)
    } catch { return }
    // Each phase is over everywhere before the next begins, so that no loop still writes while another audits.
    _ = await each(workers) { await $0.settle() }
    if Task.isCancelled { return }
    _ = await each(workers) { await $0.audit() }
    if Task.isCancelled { return }
    _ = await each(workers) { $0.end() }
  }

  private func report(_ workers: [Worker], _ loop: EventLoop, _ start: Instant) async {
    var next = start + .seconds(1)
    while true {
      do throws(CancellationError) { try await loop.sleep(until: next) } catch { return }
      next += .seconds(1)
      let snapshots = await each(workers) { $0.snapshot() }
      progress?(RunProgress(scenario: scenario, elapsed: loop.now - start, snapshots: snapshots))
    }
  }

  private func makeWorkers(_ plan: LoopPlan, _ upstream: Upstream) async throws(NetworkError) -> [Worker] {
    let shared = RunShared(
      propagation: PropagationTable(), runTag: plan.runTag(seed: scenario.seed), authority: upstream.authority,
      target: upstream.target)
    let made = await withTaskGroup(of: (Int, Swift.Result<Worker, NetworkError>).self) { group in
      for (index, loop) in plan.loops.enumerated() {
        group.addTask(executorPreference: loop) {
          let worker = Swift.Result<Worker, NetworkError> { () throws(NetworkError) in
            try Worker(
              scenario: scenario, options: options, transport: plan.transport(of: loop), index: index,
              count: plan.loops.count, upstream: upstream.address, shared: shared)
          }
          return (index, worker)
        }
      }
      var made: [(Int, Swift.Result<Worker, NetworkError>)] = []
      for await one in group { made.append(one) }
      return made.sorted { $0.0 < $1.0 }
    }
    var workers: [Worker] = []
    plan.keep(made.compactMap { try? $0.1.get() })
    for (_, worker) in made { workers.append(try worker.get()) }
    return workers
  }

  /// Runs `body` for every worker, on its loop; answers in their order.
  private func each<T: Sendable>(_ workers: [Worker], _ body: @escaping @Sendable (Worker) async -> T) async -> [T] {
    await withTaskGroup(of: (Int, T).self) { group in
      for worker in workers {
        group.addTask(executorPreference: worker.loop) { (worker.index, await body(worker)) }
      }
      var answers: [(Int, T)] = []
      for await answer in group { answers.append(answer) }
      return answers.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private var emptyRecord: RunRecord {
    var metrics = MetricSet(timeline: scenario.windows, clients: scenario.clients)
    metrics.timeline.finish(at: .zero)
    return RunRecord(
      metrics: metrics, judge: nil, faults: [],
      fleets: scenario.fleets.map { FleetRecord(name: $0.name, clients: $0.clients) }, shards: [], events: EventLog())
  }
}
