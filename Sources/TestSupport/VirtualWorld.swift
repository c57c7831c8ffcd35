public import Core
public import Network

/// A virtual clock and an in-memory network: what a test of anything on the network needs.
///
///     let world = VirtualWorld()
///     try world.run {
///       let (client, server) = world.network.pair()
///       …
///       try await world.loop.sleep(for: .seconds(600))
///     }
///
/// @unchecked: confined to its loop.
public final class VirtualWorld: @unchecked Sendable {
  public let loop: EventLoop
  public let network: MemoryNetwork
  public let transport: MemoryTransport

  public init(seed: UInt64 = 1, latency: Duration = .milliseconds(1), capacity: Int = 65536) {
    loop = EventLoop(clock: .virtual)
    network = MemoryNetwork(loop: loop, seed: seed, latency: latency, capacity: capacity)
    transport = MemoryTransport(network: network)
  }

  /// The virtual time.
  public var now: Instant { loop.now }

  /// Runs `body` on the loop, on the calling thread, until it ends; for plain synchronous tests.
  @discardableResult
  public func run<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T { try loop.run(body) }

  /// Lets virtual time pass.
  public func sleep(_ duration: Duration) async throws { try await loop.sleep(for: duration) }
}
