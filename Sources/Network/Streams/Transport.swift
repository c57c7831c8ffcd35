import Core

/// How connections are made: over TCP, or in memory. Confined to its loop, like the streams and listeners it gives.
public protocol Transport: AnyObject, Sendable {
  var loop: EventLoop { get }

  /// Listens on `address` (port 0: any free one, see `Listener.address`). `accepted` is called on the loop for each
  /// connection; a stream that it does not keep is closed. So is a listener that is not kept.
  func listen(on address: SocketAddress, backlog: Int, _ accepted: @escaping (ByteStream) -> Void)
    throws(NetworkError) -> any Listener

  /// Connects. `completion` is called once, on the loop, never from inside this call.
  ///
  /// - `source`: the local address; port 0 for any. Nil: the system chooses.
  /// - `timeout`: nil waits as long as the system does.
  /// - `bound`: gets the local address before anything else runs on this loop, so before an acceptor on the same loop
  ///   can see the connection. Not called when the connection fails at once.
  @discardableResult
  func connect(
    to address: SocketAddress, from source: SocketAddress?, timeout: Duration?, bound: ((SocketAddress) -> Void)?,
    _ completion: @escaping (Result<ByteStream, NetworkError>) -> Void
  ) -> ConnectHandle

  /// The addresses of a host, in the order to try them. Numeric hosts and "localhost" are answered at once, names are
  /// looked up off the loop. Cancellable.
  func resolve(host: String, port: UInt16) async throws(NetworkError) -> [SocketAddress]
}

/// A connection in the making.
///
/// @unchecked: confined to its loop.
open class ConnectHandle: @unchecked Sendable {
  public init() {}
  /// Ends the attempt; the completion is called with `.cancelled` before this returns. Nothing after it has completed.
  open func cancel() {}
}

/// An address that accepts connections.
public protocol Listener: AnyObject, Sendable {
  /// With the port that was given.
  var address: SocketAddress { get }
  /// Connections that could not be accepted because descriptors had run out.
  var acceptFailures: Int { get }
  /// Stops listening: new connections are refused, those not accepted yet are reset. Accepted ones stay.
  func close()
  /// Leaves new connections in the backlog, where they are connected and wait; beyond it they hang.
  func pauseAccepting()
  func resumeAccepting()
  /// Listens on the same address again after `close`.
  func reopen() throws(NetworkError)
}

extension Transport {
  /// Listens with a backlog of 1,024.
  public func listen(on address: SocketAddress, _ accepted: @escaping (ByteStream) -> Void)
    throws(NetworkError) -> any Listener
  {
    try listen(on: address, backlog: 1024, accepted)
  }

  /// Connects and answers the stream. Cancellable.
  public func connect(
    to address: SocketAddress, from source: SocketAddress? = nil, timeout: Duration? = nil,
    bound: ((SocketAddress) -> Void)? = nil
  ) async throws(NetworkError) -> ByteStream {
    assert(loop.isOnLoop, "connected off the loop")
    let attempt = ConnectAttempt()
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<ByteStream, NetworkError>, Never>) in
        if Task.isCancelled {
          continuation.resume(returning: .failure(.cancelled))
        } else {
          attempt.handle = connect(to: address, from: source, timeout: timeout, bound: bound) {
            attempt.handle = nil
            continuation.resume(returning: $0)
          }
        }
      }
    } onCancel: {
      loop.execute { attempt.handle?.cancel() }
    }
    return try result.get()
  }
}

/// @unchecked: confined to the transport's loop.
private final class ConnectAttempt: @unchecked Sendable { var handle: ConnectHandle? }
