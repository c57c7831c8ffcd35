import Core
import JSON
import Network
import Protocols
import WebSocket

/// A onebase server: the protocol is the hub's, this gives it sockets, HTTP and time.
///
/// @unchecked: confined to its transport's loop.
public final class OnebaseServer: @unchecked Sendable {
  public let transport: any Transport
  public let options: OnebaseServerOptions
  /// Asked for every HTTP request and upgrade; nil admits all. What a rate limit hangs on.
  public var admission: ((HTTPRequest, SocketAddress, Instant) -> Admission)?

  private let hub: OnebaseHub
  private let misbehaviours: Misbehaviours
  private let freezer: Freezer
  private let delayLine: DelayLine?
  private var server: HTTPServer?
  /// By slot of the hub.
  @exclusivity(unchecked) private var connections: [OnebaseConnection?] = []
  private var nextNumber: UInt64 = 0
  /// Requests that came during a freeze.
  private var heldRequests: [(request: HTTPRequest, responder: HTTPResponder)] = []
  @exclusivity(unchecked) private var actions: [HubAction] = []
  private var deployTimer: CallbackTimer?
  /// Whether it is settled from when scheduled times count.
  private var hasBegun = false
  private var address: SocketAddress?
  private var idleCloses = 0

  /// Whether a request is let in, and if not, how long its sender is to wait.
  public enum Admission: Hashable, Sendable {
    case admitted
    case refused(retryAfter: Duration)
  }

  public init(transport: any Transport, options: OnebaseServerOptions = OnebaseServerOptions()) {
    self.transport = transport
    self.options = options
    hub = OnebaseHub(options: options)
    misbehaviours = Misbehaviours(options.misbehave)
    freezer = Freezer(loop: transport.loop)
    delayLine =
      options.delay > .zero ? DelayLine(loop: transport.loop, limit: options.limits.delayedMessages) : nil
    freezer.changed = { [unowned self] in freezeChanged($0) }
    delayLine?.deliver = { [unowned self] in process($0) }
    delayLine?.heldUntil = { [freezer] in freezer.isFrozen ? freezer.until : .zero }
  }

  deinit { if server != nil { close() } }

  public var loop: EventLoop { transport.loop }
  public var statistics: OnebaseStatistics {
    var statistics = hub.statistics
    statistics.idleCloses = idleCloses
    return statistics
  }
  // MARK: Life

  /// Listens on `address` (port 0: any free one) and answers the address with its port. Scheduled times count from here
  /// when it is the first time.
  @discardableResult
  public func start(on address: SocketAddress) throws(NetworkError) -> SocketAddress {
    var http = HTTPServer.Options()
    http.maxBodyBytes = options.limits.messageBytes
    let server = HTTPServer(transport: transport, options: http) { [unowned self] request, responder in
      handle(request, responder)
    }
    let bound = try server.listen(on: address)
    self.server = server
    self.address = bound
    if !hasBegun { begin(at: loop.now) }
    return bound
  }

  /// `freezeAt` and `deployAt` count from this instant, not from the first `start`.
  public func begin(at epoch: Instant) {
    hasBegun = true
    if let deployTimer { loop.disarm(deployTimer) }
    if let freezeAt = options.freezeAt { freezer.schedule(at: epoch + freezeAt, for: options.freezeFor) }
    if let deployAt = options.deployAt {
      let timer = CallbackTimer { [unowned self] in deploy() }
      deployTimer = timer
      loop.arm(timer, at: epoch + deployAt)
    }
  }

  /// Stops listening and ends every connection, with a FIN, or with an RST when `abruptly`. The data stays.
  public func close(abruptly: Bool = false) {
    freezer.cancel()
    if let deployTimer { loop.disarm(deployTimer) }
    stop(abruptly: abruptly)
  }

  private func stop(abruptly: Bool) {
    delayLine?.cancel()
    heldRequests = []
    server?.close()
    server = nil
    for connection in connections {
      guard let connection else { continue }
      if abruptly { connection.webSocket?.abort() } else { connection.webSocket?.closeWithoutFrame() }
    }
  }

  /// Ends every connection and stops listening, then listens again on the same address after `pause`, with the data it
  /// had: a server that is restarted. `restarted` is told how the listening went.
  public func restart(
    after pause: Duration, abruptly: Bool = false, _ restarted: ((NetworkError?) -> Void)? = nil
  ) {
    guard let address else { return }
    // A freeze ends with the process it held; what is scheduled stays.
    freezer.endQuietly()
    stop(abruptly: abruptly)
    let timer = CallbackTimer { [self] in
      do throws(NetworkError) {
        _ = try start(on: address)
        restarted?(nil)
      } catch { restarted?(error) }
    }
    loop.arm(timer, at: loop.now + pause)
  }

  /// The deploy that adds `late:greet`.
  public func deploy() {
    hub.deploy(at: loop.now, into: &actions)
    perform()
  }

  /// The token has ended from now on: its user signed out.
  public func revoke(token: String) { hub.revoke(token: token) }

  // MARK: Freezing

  /// Stops reading, answering and accepting for a while, and then catches up.
  public func freeze(for duration: Duration) { freezer.freeze(for: duration) }

  private func freezeChanged(_ frozen: Bool) {
    for connection in connections {
      guard let socket = connection?.webSocket else { continue }
      if frozen { socket.pauseReading() } else { socket.resumeReading() }
      // A stalled server does not notice idleness, and does not blame its peers for it afterwards.
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
    if case .refused(let wait)? = admission?(request, responder.peer, loop.now) {
      return responder.respond(OnebaseHTTP.tooMany(retryAfter: wait))
    }
    if responder.isUpgrade && request.path == options.path { return upgrade(responder) }
    switch OnebaseHTTP.route(request) {
    case .answer(let response): responder.respond(response)
    case .call(let kind):
      let answer = hub.http(
        kind, authorization: request.headers.first("Authorization"), body: request.body, at: loop.now, into: &actions)
      responder.respond(OnebaseHTTP.json(answer.status, answer.body))
      perform()
    }
  }

  private func upgrade(_ responder: HTTPResponder) {
    var socket = WebSocketOptions()
    socket.limits = WebSocketLimits(maxMessageBytes: options.limits.messageBytes)
    socket.repliesToPing = !misbehaviours.contains(.noPong)
    nextNumber += 1
    let connection = OnebaseConnection(server: self, number: nextNumber)
    guard let webSocket = responder.upgrade(options: socket, handler: connection) else { return }
    connection.webSocket = webSocket
    connection.slot = hub.open()
    while connections.count <= connection.slot { connections.append(nil) }
    connections[connection.slot] = connection
    connection.begin(idleTimeout: misbehaviours.idleTimeout(options.idleTimeout))
  }

  // MARK: Connections

  func received(_ connection: OnebaseConnection, isText: Bool, payload: [UInt8]) {
    guard let delayLine else { return process(connection.slot, isText, payload) }
    let entry = DelayLine.Entry(
      due: loop.now + options.delay, slot: connection.slot, number: connection.number, isText: isText,
      payload: payload)
    if !delayLine.append(entry) {
      connection.webSocket?.close(code: 1013, reason: "too many messages wait at the server")
    }
  }

  private func process(_ entry: DelayLine.Entry) {
    guard connections[entry.slot]?.number == entry.number else { return }
    process(entry.slot, entry.isText, entry.payload)
  }

  private func process(_ slot: Int, _ isText: Bool, _ payload: [UInt8]) {
    hub.receive(slot, isText: isText, payload: payload, at: loop.now, into: &actions)
    perform()
  }

  func ended(_ connection: OnebaseConnection) {
    connection.end()
    guard connections[connection.slot] === connection else { return }
    connections[connection.slot] = nil
    hub.close(connection.slot)
  }

  func becameIdle(_ connection: OnebaseConnection) {
    // A frozen server closes nothing; the thaw counts as a frame.
    if freezer.isFrozen { return connection.begin(idleTimeout: misbehaviours.idleTimeout(options.idleTimeout)) }
    idleCloses += 1
    connection.webSocket?.close(code: 1000, reason: "idle")
  }

  private func perform() {
    for action in actions {
      switch action {
      case .send(let slot, let frame):
        guard let connection = connections[slot] else { continue }
        connection.noteFrame()
        connection.webSocket?.send(encodedFrame: frame)
      case .close(let slot, let code, let reason):
        connections[slot]?.webSocket?.close(code: code, reason: reason)
      }
    }
    actions.removeAll(keepingCapacity: true)
  }
}
