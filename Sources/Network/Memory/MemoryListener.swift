import Core

/// A listener of the in-memory network, with a backlog.
///
/// @unchecked: confined to its network's loop.
public final class MemoryListener: LoopTimer, Listener, @unchecked Sendable {
  private let network: MemoryNetwork
  public private(set) var address: SocketAddress
  public let acceptFailures = 0
  private let backlog: Int
  private let accepted: (ByteStream) -> Void
  /// Connected, not accepted yet.
  private var waiting: [MemoryStream] = []
  private var isPaused = false
  private var isOpen = false

  init(
    network: MemoryNetwork, address: SocketAddress, backlog: Int, _ accepted: @escaping (ByteStream) -> Void
  ) throws(NetworkError) {
    self.network = network
    self.address = address
    self.backlog = backlog
    self.accepted = accepted
    super.init()
    self.address = try network.add(self, at: address)
    isOpen = true
  }

  deinit { close() }

  var hasRoom: Bool { waiting.count < max(1, backlog) }

  func arrived(_ stream: MemoryStream) {
    if isPaused || !waiting.isEmpty { waiting.append(stream) } else { accepted(stream) }
  }

  public override func fire() {
    while !isPaused && isOpen && !waiting.isEmpty { accepted(waiting.removeFirst()) }
  }

  public func pauseAccepting() { isPaused = true }

  public func resumeAccepting() {
    isPaused = false
    if isOpen { network.loop.soon(self) }
  }

  public func close() {
    if !isOpen { return }
    isOpen = false
    network.loop.disarm(self)
    network.remove(at: address)
    let left = waiting
    waiting = []
    for stream in left { stream.reset() }
  }

  public func reopen() throws(NetworkError) {
    if isOpen { return }
    _ = try network.add(self, at: address)
    isOpen = true
  }
}
