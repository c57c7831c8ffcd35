import Core
import Network
import WebSocket

/// A server that sends every WebSocket message back as it came, at any path.
///
/// @unchecked: confined to its transport's loop.
public final class EchoServer: @unchecked Sendable {
  public let transport: any Transport
  public let options: EchoServerOptions
  private let freezer: Freezer
  private var server: HTTPServer?
  private var connections: [EchoConnection?] = []
  private var freeSlots: [Int] = []
  /// Whether it is settled from when scheduled times count.
  private var hasBegun = false
  private var heldRequests: [(request: HTTPRequest, responder: HTTPResponder)] = []

  /// Connections that were opened, and are open now; messages sent back.
  public private(set) var opened = 0
  public private(set) var open = 0
  public private(set) var messages = 0

  public init(transport: any Transport, options: EchoServerOptions = EchoServerOptions()) {
    self.transport = transport
    self.options = options
    freezer = Freezer(loop: transport.loop)
    freezer.changed = { [unowned self] in freezeChanged($0) }
  }

  deinit { if server != nil { close() } }

  public var loop: EventLoop { transport.loop }

  /// Listens on `address` (port 0: any free one) and answers the address with its port.
  @discardableResult
  public func start(on address: SocketAddress) throws(NetworkError) -> SocketAddress {
    let server = HTTPServer(transport: transport) { [unowned self] request, responder in
      handle(request, responder)
    }
    let bound = try server.listen(on: address)
    self.server = server
    if !hasBegun { begin(at: loop.now) }
    return bound
  }

  /// `freezeAt` counts from this instant, not from the first `start`.
  public func begin(at epoch: Instant) {
    hasBegun = true
    if let freezeAt = options.freezeAt { freezer.schedule(at: epoch + freezeAt, for: options.freezeFor) }
  }

  /// Stops listening and ends every connection, with a FIN, or with an RST when `abruptly`.
  public func close(abruptly: Bool = false) {
    freezer.cancel()
    heldRequests = []
    server?.close()
    server = nil
    for connection in connections {
      guard let connection else { continue }
      if abruptly { connection.webSocket?.abort() } else { connection.webSocket?.closeWithoutFrame() }
    }
  }

  /// Stops reading, answering and accepting for a while, and then catches up.
  public func freeze(for duration: Duration) { freezer.freeze(for: duration) }

  private func freezeChanged(_ frozen: Bool) {
    for connection in connections {
      guard let socket = connection?.webSocket else { continue }
      if frozen { socket.pauseReading() } else { socket.resumeReading() }
      if !frozen { connection?.noteFrame() }
    }
    if frozen {
      server?.activeListener?.pauseAccepting()
    } else {
      server?.activeListener?.resumeAccepting()
      let held = heldRequests
      heldRequests = []
      for (request, responder) in held { handle(request, responder) }
    }
  }

  private func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    if freezer.isFrozen { return heldRequests.append((request, responder)) }
    guard responder.isUpgrade else {
      return responder.respond(
        HTTPResponse(status: 426, headers: HTTPHeaders([HeaderField("Upgrade", "websocket")])))
    }
    var socket = WebSocketOptions()
    socket.limits = WebSocketLimits(maxMessageBytes: options.messageBytes)
    let connection = EchoConnection(server: self)
    guard let webSocket = responder.upgrade(options: socket, handler: connection) else { return }
    connection.webSocket = webSocket
    opened += 1
    open += 1
    if let slot = freeSlots.popLast() {
      connection.slot = slot
      connections[slot] = connection
    } else {
      connection.slot = connections.count
      connections.append(connection)
    }
    connection.begin(idleTimeout: options.idleTimeout)
  }

  fileprivate func echoed() { messages += 1 }

  fileprivate func ended(_ connection: EchoConnection) {
    connection.end()
    guard connections.indices.contains(connection.slot), connections[connection.slot] === connection else { return }
    connections[connection.slot] = nil
    freeSlots.append(connection.slot)
    open -= 1
  }

  fileprivate func isFrozen(_ connection: EchoConnection) -> Bool {
    if freezer.isFrozen { connection.begin(idleTimeout: options.idleTimeout) }
    return freezer.isFrozen
  }
}

/// One client of the echo server.
///
/// @unchecked: confined to its loop.
private final class EchoConnection: ServedConnection, @unchecked Sendable {
  /// Until the connection is over.
  private var server: EchoServer?

  init(server: EchoServer) {
    self.server = server
    super.init(loop: server.loop)
  }

  override func webSocket(_ connection: WebSocketConnection, _ event: WebSocketConnectionEvent) {
    switch event {
    case .message(let isText, let payload):
      noteFrame()
      server?.echoed()
      if isText { connection.send(text: payload) } else { connection.send(binary: payload) }
    case .ping, .pong: noteFrame()
    case .closed:
      server?.ended(self)
      server = nil
    case .opened, .refused, .writable: break
    }
  }

  override func becameIdle() {
    guard let server, !server.isFrozen(self) else { return }
    webSocket?.close(code: 1000, reason: "idle")
  }
}
