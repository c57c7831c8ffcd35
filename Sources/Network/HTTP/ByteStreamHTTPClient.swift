import Core
import WebSocket

/// HTTP/1.1 over a transport's byte streams: plain http on TCP or in memory, with a pool of idle connections.
///
/// @unchecked: confined to its transport's loop.
public final class ByteStreamHTTPClient: HTTPClient, @unchecked Sendable {
  public struct Options: Sendable {
    /// For a whole request, where the call names none.
    public var timeout: Duration = .seconds(30)
    /// The largest body of an answer, in bytes.
    public var maxBodyBytes = 16 << 20
    /// Idle connections kept per origin.
    public var maxIdlePerOrigin = 8
    /// How long an idle connection is kept.
    public var idleTimeout: Duration = .seconds(30)
    /// The local address to dial from; port 0.
    public var source: SocketAddress?
    public init() {}
  }

  private struct Idle {
    var connection: HTTPClientConnection
    var timer: CallbackTimer
  }

  /// Methods that may be sent again when a kept connection turns out to be closed (RFC 9110 §9.2.2).
  private static let idempotent: Set<String> = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"]

  public let transport: any Transport
  public let options: Options
  private var idle: [HTTPOrigin: [Idle]] = [:]

  public init(transport: any Transport, options: Options = Options()) {
    self.transport = transport
    self.options = options
  }

  deinit { closeIdle() }

  private var loop: EventLoop { transport.loop }

  /// How many idle connections are kept to `origin`.
  public func idleConnections(to origin: HTTPOrigin) -> Int { idle[origin]?.count ?? 0 }

  /// Closes the idle connections.
  public func closeIdle() {
    let all = idle
    idle = [:]
    for origin in all.keys.sorted(by: { $0.description < $1.description }) {
      for entry in all[origin] ?? [] { drop(entry) }
    }
  }

  public func send(
    _ request: HTTPRequest, to origin: HTTPOrigin, timeout: Duration?
  ) async throws(HTTPClientError) -> HTTPResponse {
    assert(loop.isOnLoop, "sent off the loop")
    guard origin.scheme == .http else { throw .unsupportedScheme(origin.scheme.rawValue) }
    if Task.isCancelled { throw .cancelled }
    let deadline = loop.now + (timeout ?? options.timeout)
    let request = complete(request, origin)
    if let kept = takeIdle(origin) {
      do throws(HTTPClientError) { return try await exchange(request, on: kept, origin, deadline) } catch {
        let wasClosed = !kept.hasAnswerBegun && (error == .ended || error == .network(.reset))
        guard wasClosed && Self.idempotent.contains(request.method) else { throw error }
      }
    }
    let stream = try await connect(origin, deadline)
    let connection = HTTPClientConnection(stream, maxBodyBytes: options.maxBodyBytes)
    return try await exchange(request, on: connection, origin, deadline)
  }

  private func complete(_ request: HTTPRequest, _ origin: HTTPOrigin) -> HTTPRequest {
    var request = request
    if request.headers.first("Host") == nil {
      request.headers.fields.insert(HeaderField("Host", origin.hostField), at: 0)
    }
    let expectsBody = !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method)
    if expectsBody && request.headers.first("Content-Length") == nil {
      request.headers.append("Content-Length", String(request.body.count))
    }
    return request
  }

  private func connect(_ origin: HTTPOrigin, _ deadline: Instant) async throws(HTTPClientError) -> ByteStream {
    do throws(NetworkError) {
      let addresses = try await resolve(origin, deadline)
      var failure = NetworkError.resolution("\"\(origin.host)\" has no address")
      for address in addresses {
        let left = deadline - loop.now
        if left <= .zero { throw .timedOut }
        do throws(NetworkError) {
          return try await transport.connect(to: address, from: options.source, timeout: left)
        } catch {
          if error == .cancelled || error == .timedOut { throw error }
          failure = error
        }
      }
      throw failure
    } catch {
      if error == .cancelled { throw .cancelled }
      if error == .timedOut && loop.now >= deadline { throw .timedOut }
      throw .network(error)
    }
  }

  private func resolve(_ origin: HTTPOrigin, _ deadline: Instant) async throws(NetworkError) -> [SocketAddress] {
    if let address = NumericHost.address(origin.host, port: origin.port) { return [address] }
    let (transport, loop) = (transport, loop)
    // A look-up has no limit of time of its own.
    let answer = await withTaskGroup(of: Result<[SocketAddress], NetworkError>.self) { group in
      group.addTask {
        do throws(NetworkError) {
          return .success(try await transport.resolve(host: origin.host, port: origin.port))
        } catch { return .failure(error) }
      }
      group.addTask {
        do throws(CancellationError) { try await loop.sleep(until: deadline) } catch { return .failure(.cancelled) }
        return .failure(.timedOut)
      }
      defer { group.cancelAll() }
      return await group.next() ?? .failure(.cancelled)
    }
    return try answer.get()
  }

  private func exchange(
    _ request: HTTPRequest, on connection: HTTPClientConnection, _ origin: HTTPOrigin, _ deadline: Instant
  ) async throws(HTTPClientError) -> HTTPResponse {
    let timer = CallbackTimer { connection.fail(.timedOut) }
    let answer = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<HTTPClientConnection.Answer, Never>) in
        if Task.isCancelled {
          connection.stream.close()
          continuation.resume(returning: .failure(.cancelled))
        } else {
          loop.arm(timer, at: deadline)
          connection.exchange(request) { continuation.resume(returning: $0) }
        }
      }
    } onCancel: {
      loop.execute { connection.fail(.cancelled) }
    }
    loop.disarm(timer)
    if connection.isReusable { keep(connection, origin) }
    return try answer.get()
  }

  // MARK: Idle connections

  private func takeIdle(_ origin: HTTPOrigin) -> HTTPClientConnection? {
    while let entry = idle[origin]?.popLast() {
      loop.disarm(entry.timer)
      entry.connection.onEnd = nil
      if !entry.connection.stream.isClosed && entry.connection.stream.peerGone == .present { return entry.connection }
      entry.connection.stream.close()
    }
    return nil
  }

  private func keep(_ connection: HTTPClientConnection, _ origin: HTTPOrigin) {
    guard (idle[origin]?.count ?? 0) < options.maxIdlePerOrigin, !connection.stream.isClosed else {
      return connection.stream.close()
    }
    let forget = { [weak self, weak connection] in
      guard let self, let connection else { return }
      guard let index = idle[origin]?.firstIndex(where: { $0.connection === connection }) else { return }
      if let entry = idle[origin]?.remove(at: index) { drop(entry) }
      if idle[origin]?.isEmpty == true { idle[origin] = nil }
    }
    let timer = CallbackTimer(forget)
    connection.onEnd = forget
    loop.arm(timer, at: loop.now + options.idleTimeout)
    idle[origin, default: []].append(Idle(connection: connection, timer: timer))
  }

  private func drop(_ entry: Idle) {
    loop.disarm(entry.timer)
    entry.connection.onEnd = nil
    entry.connection.stream.close()
  }
}
