import Core
import JSON
import Network
import Protocols
import WebSocket

/// A palbase server: the protocol is the hub's, this gives it sockets, HTTP and time.
///
/// @unchecked: confined to its transport's loop.
public final class PalbaseServer: @unchecked Sendable {
  public let transport: any Transport
  public let options: PalbaseServerOptions

  private let hub: PalbaseHub
  private let freezer: Freezer
  private var server: HTTPServer?
  /// By slot of the hub.
  private var connections: [PalbaseConnection?] = []
  /// Requests that came during a freeze.
  private var heldRequests: [(request: HTTPRequest, responder: HTTPResponder)] = []
  private var actions: [HubAction] = []
  private var isPerforming = false
  private var quotaTimer: CallbackTimer?
  private var hasBegun = false
  private var address: SocketAddress?
  private var silenceCloses = 0

  public init(transport: any Transport, options: PalbaseServerOptions = PalbaseServerOptions()) {
    self.transport = transport
    self.options = options
    hub = PalbaseHub(options: options)
    freezer = Freezer(loop: transport.loop)
    freezer.changed = { [weak self] in self?.freezeChanged($0) }
  }

  public var loop: EventLoop { transport.loop }
  public var statistics: PalbaseStatistics {
    var statistics = hub.statistics
    statistics.silenceCloses = silenceCloses
    return statistics
  }

  // MARK: Life

  /// Listens on `address` (port 0: any free one) and answers the address with its port. Scheduled times count from here
  /// when it is the first time.
  @discardableResult
  public func start(on address: SocketAddress) throws(NetworkError) -> SocketAddress {
    var http = HTTPServer.Options()
    http.maxBodyBytes = options.messageBytes
    let server = HTTPServer(transport: transport, options: http) { [weak self] request, responder in
      self?.handle(request, responder)
    }
    let bound = try server.listen(on: address)
    self.server = server
    self.address = bound
    if !hasBegun { begin(at: loop.now) }
    return bound
  }

  /// `freezeAt` and `quotaUsedUpAt` count from this instant, not from the first `start`.
  public func begin(at epoch: Instant) {
    hasBegun = true
    if let quotaTimer { loop.disarm(quotaTimer) }
    if let freezeAt = options.freezeAt { freezer.schedule(at: epoch + freezeAt, for: options.freezeFor) }
    if let usedUpAt = options.quotaUsedUpAt {
      let timer = CallbackTimer { [weak self] in self?.hub.isQuotaUsedUp = true }
      quotaTimer = timer
      loop.arm(timer, at: epoch + usedUpAt)
    }
  }

  /// Stops listening and ends every connection, with a FIN, or with an RST when `abruptly`. Durable state stays.
  public func close(abruptly: Bool = false) {
    freezer.cancel()
    if let quotaTimer { loop.disarm(quotaTimer) }
    stop(abruptly: abruptly)
  }

  private func stop(abruptly: Bool) {
    heldRequests = []
    server?.close()
    server = nil
    for connection in connections {
      guard let connection else { continue }
      if abruptly { connection.webSocket?.abort() } else { connection.webSocket?.closeWithoutFrame() }
    }
  }

  /// Ends every connection and stops listening, then listens again on the same address after `pause`, with the durable
  /// state it had. `restarted` is told how the listening went.
  public func restart(
    after pause: Duration, abruptly: Bool = false, _ restarted: ((NetworkError?) -> Void)? = nil
  ) {
    guard let address else { return }
    freezer.endQuietly()
    stop(abruptly: abruptly)
    let timer = CallbackTimer { [weak self] in
      do throws(NetworkError) {
        _ = try self?.start(on: address)
        restarted?(nil)
      } catch { restarted?(error) }
    }
    loop.arm(timer, at: loop.now + pause)
  }

  /// The token has ended from now on: its user signed out.
  public func revoke(token: String) { hub.revoke(token: token) }

  /// Whether new sockets are refused because the project's quota is used up.
  public var isQuotaUsedUp: Bool {
    get { hub.isQuotaUsedUp }
    set { hub.isQuotaUsedUp = newValue }
  }

  // MARK: Freezing

  /// Stops reading, answering and accepting for a while, and then catches up.
  public func freeze(for duration: Duration) { freezer.freeze(for: duration) }

  private func freezeChanged(_ frozen: Bool) {
    for connection in connections {
      guard let socket = connection?.webSocket else { continue }
      if frozen { socket.pauseReading() } else { socket.resumeReading() }
      // A stalled server does not notice silence, and does not blame its peers for it afterwards.
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

  // MARK: Requests

  private func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
    if freezer.isFrozen { return heldRequests.append((request, responder)) }
    if request.path == options.path {
      guard responder.isUpgrade else {
        let headers = HTTPHeaders([HeaderField("Upgrade", "websocket")])
        return responder.respond(HTTPResponse(status: 426, headers: headers))
      }
      return upgrade(request, responder)
    }
    guard request.path.hasPrefix(options.adminPath + "/") else {
      return respond(responder, .mistake(404, "not_found", "there is nothing at this path"))
    }
    let answer = hub.call(
      method: request.method, path: String(request.path.dropFirst(options.adminPath.count)),
      key: Self.key(request.headers), body: request.body, into: &actions)
    respond(responder, answer)
    perform()
  }

  /// The key that a server-side call was made with.
  private static func key(_ headers: HTTPHeaders) -> String? {
    if let authorization = headers.first("Authorization") {
      let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
      return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }
    return headers.first("apikey")
  }

  private func respond(_ responder: HTTPResponder, _ answer: PalbaseHub.Answer) {
    var headers = HTTPHeaders([HeaderField("Content-Type", "application/json")])
    // RFC 9110 §11.6.1: a 401 names the scheme it wants.
    if answer.status == 401 { headers.set("WWW-Authenticate", "Bearer") }
    responder.respond(HTTPResponse(status: answer.status, headers: headers, body: answer.body.encoded()))
  }

  private func upgrade(_ request: HTTPRequest, _ responder: HTTPResponder) {
    if let refusal = hub.refusal() {
      return respond(responder, .mistake(429, refusal.rawValue, "the project takes no more connections"))
    }
    var socket = WebSocketOptions()
    socket.limits = WebSocketLimits(maxMessageBytes: options.messageBytes)
    let connection = PalbaseConnection(server: self)
    guard let webSocket = responder.upgrade(options: socket, handler: connection) else { return }
    connection.webSocket = webSocket
    let speaksArrays = request.query?.split(separator: "&").contains { $0.hasPrefix("vsn=2.") } ?? false
    connection.slot = hub.open(version: speaksArrays ? .array : .object)
    while connections.count <= connection.slot { connections.append(nil) }
    connections[connection.slot] = connection
    connection.begin(idleTimeout: options.silenceTimeout)
  }

  // MARK: Connections

  fileprivate func received(_ connection: PalbaseConnection, isText: Bool, payload: [UInt8]) {
    guard isServed(connection) else { return }
    hub.receive(connection.slot, isText: isText, payload: payload, at: loop.now, into: &actions)
    perform()
  }

  private func isServed(_ connection: PalbaseConnection) -> Bool {
    connections.indices.contains(connection.slot) && connections[connection.slot] === connection
  }

  fileprivate func ended(_ connection: PalbaseConnection) {
    connection.end()
    forget(connection)
  }

  /// The members of its channels are told at once, whatever the socket still has to do.
  private func forget(_ connection: PalbaseConnection) {
    guard isServed(connection) else { return }
    connections[connection.slot] = nil
    hub.close(connection.slot, into: &actions)
    perform()
  }

  fileprivate func becameSilent(_ connection: PalbaseConnection) {
    // A frozen server closes nothing; the thaw counts as a frame.
    if freezer.isFrozen { return connection.begin(idleTimeout: options.silenceTimeout) }
    silenceCloses += 1
    connection.webSocket?.close(code: CloseCode.normal, reason: "nothing was heard for too long")
    forget(connection)
  }

  private func perform() {
    // A close may be told at once and bring further actions, which the outer call then carries out.
    if isPerforming { return }
    isPerforming = true
    var place = 0
    while place < actions.count {
      let action = actions[place]
      place += 1
      switch action {
      case .send(let slot, let frame): connections[slot]?.webSocket?.send(encodedFrame: frame)
      case .close(let slot, let code, let reason):
        let connection = connections[slot]
        // The hub has given up the slot already.
        connections[slot] = nil
        connection?.webSocket?.close(code: code, reason: reason)
      }
    }
    actions.removeAll(keepingCapacity: true)
    isPerforming = false
  }
}

/// One client of the palbase server.
///
/// @unchecked: confined to its loop.
private final class PalbaseConnection: ServedConnection, @unchecked Sendable {
  private weak var server: PalbaseServer?

  init(server: PalbaseServer) {
    self.server = server
    super.init(loop: server.loop)
  }

  override func webSocket(_ connection: WebSocketConnection, _ event: WebSocketConnectionEvent) {
    switch event {
    case .message(let isText, let payload):
      noteFrame()
      server?.received(self, isText: isText, payload: payload)
    case .ping, .pong: noteFrame()
    case .closed: server?.ended(self)
    case .opened, .refused, .writable: break
    }
  }

  override func becameIdle() { server?.becameSilent(self) }
}
