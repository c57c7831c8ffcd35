import Core
import Network

/// Ends connections that a fault closed with a FIN and whose peers never end their own side.
///
/// @unchecked: confined to its proxy's loop.
final class Lingerers: LoopTimer, @unchecked Sendable {
  /// The proxy owns this and takes it out of the loop before it goes.
  private unowned(unsafe) let proxy: Proxy
  /// In order of deadline, since all wait equally long.
  private var waiting: [(deadline: Instant, relay: WeakRelay)] = []
  private var first = 0

  private struct WeakRelay { weak var relay: Relay? }

  init(_ proxy: Proxy) { self.proxy = proxy }

  func add(_ relay: Relay) {
    waiting.append((proxy.loop.now + proxy.configuration.caps.linger, WeakRelay(relay: relay)))
    if !isArmed { proxy.loop.arm(self, at: waiting[first].deadline) }
  }

  override func fire() {
    let now = proxy.loop.now
    while first < waiting.count, waiting[first].relay.relay.map({ $0.isOver }) ?? true || waiting[first].deadline <= now
    {
      if let relay = waiting[first].relay.relay, !relay.isOver {
        proxy.counts.fail("no end after a FIN")
        relay.abort(.reset, faults: [])
      }
      first += 1
    }
    if first == waiting.count {
      waiting = []
      first = 0
    } else {
      if first > 256, first * 2 > waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
      proxy.loop.arm(self, at: waiting[first].deadline)
    }
  }

  func stop() {
    proxy.loop.disarm(self)
    waiting = []
    first = 0
  }
}
