import Core
import Network

/// Takes a fault on connections through those it hits, in seeded order, a slice per turn of the loop.
///
/// @unchecked: confined to its proxy's loop.
final class ConnectionSweep: LoopTimer, @unchecked Sendable {
  /// So many connections are acted on before the loop's other work gets its turn.
  private static let slice = 512

  /// The schedule takes sweeps out of the loop before the proxy goes.
  private unowned(unsafe) let proxy: Proxy
  let run: FaultRun
  private let done: (ConnectionSweep) -> Void
  private var targets: [Relay] = []
  private var position = 0

  init(_ proxy: Proxy, _ run: FaultRun, _ done: @escaping (ConnectionSweep) -> Void) {
    self.proxy = proxy
    self.run = run
    self.done = done
  }

  func begin() {
    let seed = proxy.configuration.seed
    proxy.forEachRelay { if run.entry.hits($0.subject, seed: seed) { targets.append($0) } }
    var random = SeededRandom(seed: seed ^ run.entry.salt, purpose: .faultOrder)
    targets.shuffle(using: &random)
    fire()
  }

  override func fire() {
    let end = min(position + Self.slice, targets.count)
    while position < end {
      let relay = targets[position]
      position += 1
      if relay.isOver { continue }
      proxy.touch(run, relay.subject)
      run.entry.fault.apply(to: relay, proxy.scope(run, relay.subject, attempt: relay.attempt))
    }
    if position < targets.count { proxy.loop.arm(self, at: proxy.loop.now) } else { done(self) }
  }
}
