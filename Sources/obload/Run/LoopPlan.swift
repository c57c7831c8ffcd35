import CSys
import Core
import Network

/// The event loops of a run: which there are, and on which clock.
///
/// @unchecked: made and taken apart on the calling thread; what is inside is confined to its loops.
final class LoopPlan: @unchecked Sendable {
  /// For clients and proxies; the first is driven by the calling thread.
  let loops: [EventLoop]
  /// For an embedded server; the first loop itself in virtual time, nil for a target elsewhere.
  let serverLoop: EventLoop?
  private let network: MemoryNetwork?
  private let isVirtual: Bool
  private var kept: [AnyObject] = []

  /// One-way latency of the in-memory network: about what a loopback connection takes.
  static let memoryLatency = Duration.microseconds(50)

  init(scenario: Scenario, options: RunOptions) {
    isVirtual = options.isVirtual
    if options.isVirtual {
      let loop = EventLoop(clock: .virtual)
      loops = [loop]
      serverLoop = scenario.target.isEmbedded ? loop : nil
      network = MemoryNetwork(loop: loop, latency: Self.memoryLatency)
    } else {
      // The run begins at its epoch, a moment from now: what is set up until then belongs to no window.
      let epoch = csys_monotonic_ns() + Self.lead(clients: scenario.clients).nanoseconds
      let count = Self.loopCount(options, isEmbedded: scenario.target.isEmbedded)
      loops = (0..<count).map { EventLoop(clock: .monotonic, index: $0, epoch: epoch) }
      serverLoop = scenario.target.isEmbedded ? EventLoop(clock: .monotonic, index: count, epoch: epoch) : nil
      network = nil
    }
  }

  /// How long setting up takes at most, on a slow machine: loops, server, proxies and so many clients.
  static func lead(clients: Int) -> Duration { .milliseconds(50) + .microseconds(20) * clients }

  /// One loop per processor, less the one that an embedded server keeps busy.
  static func loopCount(_ options: RunOptions, isEmbedded: Bool) -> Int {
    if options.isVirtual { return 1 }
    return options.loops ?? max(1, min(64, Machine.processors - (isEmbedded ? 1 : 0)))
  }

  var main: EventLoop { loops[0] }

  func startThreads() {
    for loop in loops.dropFirst() { loop.start() }
    if !isVirtual { serverLoop?.start() }
  }

  /// Ends the threads; what was kept goes once nobody drives its loop any more.
  func stopThreads() {
    let others = loops.dropFirst() + (isVirtual ? [] : [serverLoop].compactMap { $0 })
    for loop in others { loop.stop() }
    for loop in others { loop.join() }
    kept = []
  }

  /// Keeps what is confined to a loop until its thread has ended, since it may not be dropped on another.
  func keep(_ things: [AnyObject]) { kept += things }

  /// A transport for a loop of this plan.
  func transport(of loop: EventLoop) -> any Transport {
    if let network { return MemoryTransport(network: network, loop: loop) }
    return TCPTransport(loop: loop)
  }

  /// From the seed alone in virtual time, so that runs are the same; from the clock too in real time, so that what an
  /// earlier run left on a server is not taken for this one's.
  func runTag(seed: UInt64) -> UInt32 {
    let mixed = SeededRandom.mix(seed ^ (isVirtual ? 0 : UInt64(bitPattern: main.epoch)))
    return UInt32(truncatingIfNeeded: mixed) | 1
  }
}
