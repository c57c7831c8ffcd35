import Core

/// A connection request on its way through the in-memory network.
///
/// @unchecked: confined to its network's loop.
final class MemoryDial: LoopTimer, @unchecked Sendable {
  private enum Step {
    /// The request arrives at the listener with the next firing.
    case request
    /// The answer arrives at the dialling end with the next firing.
    case answer(Result<ByteStream, NetworkError>)
    case done
  }

  /// When the first request that got no answer is sent again; doubles each time, as Linux has it.
  private static let firstRetry: Duration = .seconds(1)
  /// After so many repetitions Linux gives up, after 127 s in all.
  private static let retries = 6

  private let network: MemoryNetwork
  private let local: SocketAddress
  private let peer: SocketAddress
  private var step = Step.request
  private var completion: ((Result<ByteStream, NetworkError>) -> Void)?
  private var retry = 0
  private var timeoutTimer: CallbackTimer?

  init(
    network: MemoryNetwork, local: SocketAddress, peer: SocketAddress, timeout: Duration?,
    _ completion: @escaping (Result<ByteStream, NetworkError>) -> Void
  ) {
    self.network = network
    self.local = local
    self.peer = peer
    self.completion = completion
    super.init()
    if let timeout {
      let timer = CallbackTimer { [weak self] in self?.fail(.timedOut) }
      timeoutTimer = timer
      network.loop.arm(timer, at: network.loop.now + timeout)
    }
    network.loop.arm(self, at: network.loop.now + network.handshakeDelay)
  }

  override func fire() {
    switch step {
    case .request: request()
    case .answer(let result): finish(result)
    case .done: break
    }
  }

  private func request() {
    let admission = network.admission?(peer, local) ?? .accept
    if admission == .hang { return hang() }
    guard admission == .accept, let listener = network.listener(at: peer) else { return answer(.failure(.refused)) }
    guard listener.hasRoom else { return hang() }
    let (dialling, accepting) = network.makePair(local: local, peer: peer, holdsPort: true)
    answer(.success(dialling))
    listener.arrived(accepting)
  }

  private func answer(_ result: Result<ByteStream, NetworkError>) {
    network.forget(self)
    step = .answer(result)
    network.loop.arm(self, at: network.loop.now + network.handshakeDelay)
  }

  private func hang() {
    if retry == Self.retries { return fail(.timedOut) }
    network.note(hanging: self)
    network.loop.arm(self, at: network.loop.now + Self.firstRetry * (1 << retry))
    retry += 1
  }

  /// Ends the attempt, whatever has come of it.
  func fail(_ error: NetworkError) {
    if case .answer(.success(let stream)) = step { stream.reset() }
    finish(.failure(error))
  }

  private func finish(_ result: Result<ByteStream, NetworkError>) {
    guard let completion else { return }
    self.completion = nil
    network.forget(self)
    network.loop.disarm(self)
    if let timeoutTimer { network.loop.disarm(timeoutTimer) }
    // A stream gives the port back when it closes; without one it is given back here.
    if case .answer(.success) = step {} else { network.release(local: local, peer: peer) }
    step = .done
    completion(result.mapError { $0.at(peer) })
  }

  /// For the report of a deadlock.
  var state: String { "a connect from \(local) to \(peer) that nothing answers" }
}
