import Core
import WebSocket

/// An HTTP/1.1 server on a transport: hands each request to a handler, which answers it or turns it into a WebSocket.
///
/// Keep it alive as long as it serves.
/// @unchecked: confined to its transport's loop.
public final class HTTPServer: @unchecked Sendable {
  public struct Options: Sendable {
    /// The largest head and body of a request, in bytes.
    public var maxHeadBytes = 64 << 10
    public var maxBodyBytes = 16 << 20
    /// How long a connection may go without a whole request.
    public var idleTimeout: Duration = .seconds(60)
    /// How long a connection that is being closed waits for the peer's own end.
    public var lingerTimeout: Duration = .seconds(2)
    public var backlog = 1024
    public init() {}
  }

  public let transport: any Transport
  public let options: Options
  let handler: (HTTPRequest, HTTPResponder) -> Void
  private var listener: (any Listener)?
  /// By number, in the order of their coming.
  private var connections: [Int: HTTPServerConnection] = [:]
  private var nextNumber = 0

  /// - Parameter handler: called on the loop for each request; answers through the responder, then or later.
  public init(
    transport: any Transport, options: Options = Options(),
    handler: @escaping (HTTPRequest, HTTPResponder) -> Void
  ) {
    self.transport = transport
    self.options = options
    self.handler = handler
  }

  deinit { close() }

  /// Listens on `address`; port 0 for any free one. Answers the address with its port.
  @discardableResult
  public func listen(on address: SocketAddress) throws(NetworkError) -> SocketAddress {
    let listener = try transport.listen(on: address, backlog: options.backlog) { [weak self] in self?.serve($0) }
    self.listener = listener
    return listener.address
  }

  /// The listener, for faults that close or pause it.
  public var activeListener: (any Listener)? { listener }

  /// Serves a stream that was accepted elsewhere.
  public func serve(_ stream: ByteStream) {
    nextNumber += 1
    connections[nextNumber] = HTTPServerConnection(stream, self, number: nextNumber)
  }

  /// Connections that speak HTTP; those that became WebSockets do not count.
  public var connectionCount: Int { connections.count }

  /// Stops listening and ends all HTTP connections. WebSockets are their handlers' business.
  public func close() {
    listener?.close()
    listener = nil
    for number in connections.keys.sorted() { connections[number]?.end() }
  }

  func forget(_ connection: HTTPServerConnection) { connections[connection.number] = nil }
}
