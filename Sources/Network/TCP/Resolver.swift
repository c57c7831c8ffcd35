import CSys
import Core
import Glibc

/// Looks names up with `getaddrinfo`, on a thread that lives while there is something to look up. Those who ask for a
/// name that is being looked up share the answer.
///
/// @unchecked: `pending` and `nextNumber` are confined to the loop, the queue is behind a lock.
final class Resolver: @unchecked Sendable {
  typealias Answer = Result<[SocketAddress], NetworkError>

  private struct Waiting {
    var number: Int
    var continuation: UnsafeContinuation<Answer, Never>
  }
  private struct Queue {
    var hosts: [String] = []
    var isRunning = false
  }

  private let loop: EventLoop
  /// Who waits for each name; looked up by name, never iterated.
  private var pending: [String: [Waiting]] = [:]
  private var nextNumber = 0
  private let queue = Locked(Queue())

  init(loop: EventLoop) { self.loop = loop }

  /// The addresses of a name with port 0. Cancellable: the look-up itself then ends unheard.
  func resolve(_ host: String) async throws(NetworkError) -> [SocketAddress] {
    if host.isEmpty || host.utf8.count > 255 || host.utf8.contains(0) {
      throw .resolution("\"\(host.prefix(40))\" is not a host name (1 to 255 bytes)")
    }
    nextNumber += 1
    let number = nextNumber
    let answer: Answer = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Answer, Never>) in
        if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
        let first = pending[host] == nil
        pending[host, default: []].append(Waiting(number: number, continuation: continuation))
        if first { lookUp(host) }
      }
    } onCancel: {
      loop.execute { self.cancel(host, number) }
    }
    return try answer.get()
  }

  private func cancel(_ host: String, _ number: Int) {
    guard let index = pending[host]?.firstIndex(where: { $0.number == number }),
      let waiting = pending[host]?.remove(at: index)
    else { return }
    waiting.continuation.resume(returning: .failure(.cancelled))
  }

  private func lookUp(_ host: String) {
    let mustStart = queue.withLock { queue in
      queue.hosts.append(host)
      defer { queue.isRunning = true }
      return !queue.isRunning
    }
    if !mustStart { return }
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        csys_thread_name("resolver")
        Unmanaged<Resolver>.fromOpaque(argument).takeRetainedValue().work()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    if status == 0 {
      pthread_detach(thread)
    } else {
      Unmanaged.passUnretained(self).release()
      let left = queue.withLock { queue in
        defer { queue = Queue() }
        return queue.hosts
      }
      let error = NetworkError(errno: status)
      for host in left { loop.post { self.answered(host, .failure(error)) } }
    }
  }

  /// The thread's work: name by name, until none is left.
  private func work() {
    while let host = next() {
      let answer = Self.lookUpBlocking(host)
      loop.post { self.answered(host, answer) }
    }
  }

  private func next() -> String? {
    queue.withLock { queue in
      if queue.hosts.isEmpty {
        queue.isRunning = false
        return nil
      }
      return queue.hosts.removeFirst()
    }
  }

  private static func lookUpBlocking(_ host: String) -> Answer {
    var found = [csys_address](repeating: csys_address(), count: 32)
    let count = csys_resolve(host, &found, Int32(found.count))
    if count < 0 {
      return .failure(.resolution("cannot resolve \"\(host)\": \(String(cString: csys_resolve_text(count)))"))
    }
    if count == 0 { return .failure(.resolution("\"\(host)\" has no IPv4 or IPv6 address")) }
    return .success(found.prefix(Int(count)).map { SocketAddress(system: $0) })
  }

  private func answered(_ host: String, _ answer: Answer) {
    guard let waiting = pending.removeValue(forKey: host) else { return }
    for one in waiting { one.continuation.resume(returning: answer) }
  }
}
