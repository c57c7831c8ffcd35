public import Core
public import Network

/// Proxies with names on one loop, as `obload proxy` runs and its control API steers them.
///
/// One loop serves them all; a set per loop, with the edits of one sent to all, is how more would be added.
///
/// @unchecked: confined to its transport's loop.
public final class ProxySet: @unchecked Sendable {
  public struct Options: Sendable {
    /// What membership and jitter are drawn from.
    public var seed: UInt64 = 1
    /// Follow frames on every connection, so that faults on frames and messages can be added later.
    public var trackFrames = false
    public var caps = ProxyConfiguration.Caps()
    public init() {}
  }

  /// What makes a proxy.
  public struct Specification: Sendable {
    public var name: String
    public var listen: SocketAddress
    public var upstream: UpstreamName
    public var isEnabled = true
    public var faults: [FaultRequest] = []
    public init(name: String, listen: SocketAddress, upstream: UpstreamName) {
      self.name = name
      self.listen = listen
      self.upstream = upstream
    }
  }

  /// More proxies than this are refused.
  public static let most = 1000
  private static let longestName = 128
  /// A name that was found is looked up again after this, one that was not after that.
  private static let refresh = Duration.seconds(30)
  private static let retry = Duration.seconds(1)

  public let transport: any Transport
  public let options: Options
  /// How upstreams over TLS are reached; nil where that is not available.
  public let secureTransport: (any Transport)?
  /// In the order they were added.
  public private(set) var proxies: [NamedProxy] = []
  /// Told of each proxy's faults as they begin and end.
  public var edges: ((NamedProxy, FaultEdge, FaultEntry, Instant) -> Void)?
  private let waiter: Waiter

  public init(transport: any Transport, options: Options = Options(), secureTransport: (any Transport)? = nil) {
    self.transport = transport
    self.options = options
    self.secureTransport = secureTransport
    waiter = Waiter(loop: transport.loop, label: "names of upstreams to look up")
  }

  public var loop: EventLoop { transport.loop }

  public func proxy(_ name: String) -> NamedProxy? { proxies.first { $0.name == name } }

  /// Adds a proxy and listens, if it is enabled.
  @discardableResult
  public func add(_ specification: Specification) throws(ProxySetError) -> NamedProxy {
    let name = specification.name
    guard Self.isName(name) else { throw .badName(name) }
    guard proxy(name) == nil else { throw .taken(name) }
    guard proxies.count < Self.most else { throw .tooMany }
    if specification.upstream.isSecure, secureTransport == nil { throw .noTLS(specification.upstream) }
    guard !Self.leadsBack(specification.upstream, specification.listen) else { throw .loop(specification.upstream) }
    var configuration = ProxyConfiguration(
      upstream: .loopback(port: 0), listen: specification.listen, seed: options.seed,
      trackFrames: options.trackFrames || specification.faults.contains(where: \.entry.needsFrames),
      assembleMessages: false, caps: options.caps)
    configuration.isSteered = true
    let proxy = Proxy(
      transport: transport, configuration: configuration,
      upstreamTransport: specification.upstream.isSecure ? secureTransport : nil)
    let named = NamedProxy(name: name, upstream: specification.upstream, proxy: proxy)
    proxy.edges = { [weak self, unowned named] edge, entry, at in self?.edges?(named, edge, entry, at) }
    do throws(NetworkError) { try proxy.start() } catch {
      proxy.close()
      throw .network(error)
    }
    if !specification.isEnabled { proxy.disable() }
    do throws(FaultEditError) { try named.add(specification.faults) } catch {
      proxy.close()
      throw .faults(error)
    }
    proxies.append(named)
    if named.resolveAt != nil { waiter.signal() }
    return named
  }

  /// Whether a proxy would connect to itself, again and again.
  private static func leadsBack(_ upstream: UpstreamName, _ listen: SocketAddress) -> Bool {
    guard let address = upstream.address, address.port == listen.port else { return false }
    return address == listen || (listen.isWildcard && address.isLoopback)
  }

  /// What may stand in a path and a label: printable, without slash.
  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= longestName
      && name.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && $0 != "/" && $0 != "?" && $0 != "#" }
  }

  /// Ends a proxy and its connections. False if there is none of this name.
  public func remove(_ name: String) -> Bool {
    guard let place = proxies.firstIndex(where: { $0.name == name }) else { return false }
    proxies.remove(at: place).proxy.close()
    return true
  }

  /// Changes where a proxy listens or leads to. A change ends its open connections, as a restart would.
  public func change(_ named: NamedProxy, listen: SocketAddress?, upstream: UpstreamName?) throws(ProxySetError) {
    if let upstream, upstream.isSecure != named.upstream.isSecure { throw .noTLS(upstream) }
    let leads = upstream ?? named.upstream
    guard !Self.leadsBack(leads, listen ?? named.listen) else { throw .loop(leads) }
    let moves = listen.map { $0 != named.listen && ($0.port != 0 || $0.host != named.listen.host) } ?? false
    if moves, let listen {
      do throws(NetworkError) { try named.proxy.move(to: listen) } catch { throw .network(error) }
    }
    if let upstream, upstream != named.upstream {
      named.lead(to: upstream)
      named.proxy.endAll()
      if named.resolveAt != nil { waiter.signal() }
    }
  }

  /// Enables every proxy, resumes it and clears its faults. Those that cannot listen again are named.
  public func reset() throws(ProxySetError) {
    var failure: NetworkError?
    for named in proxies {
      named.clear()
      named.proxy.resume()
      do throws(NetworkError) { try named.proxy.enable() } catch { failure = failure ?? error }
    }
    if let failure { throw .network(failure) }
  }

  public func close() {
    for named in proxies { named.proxy.close() }
    proxies = []
  }

  // MARK: Names

  /// Looks the names of upstreams up, again from time to time; until cancelled.
  public func run() async throws(CancellationError) {
    let alarm = CallbackTimer { [waiter] in waiter.signal() }
    defer { loop.disarm(alarm) }
    while true {
      await resolveDue()
      if let next = proxies.compactMap(\.resolveAt).min() { loop.arm(alarm, at: next) }
      try await waiter.wait()
    }
  }

  private func resolveDue() async {
    let now = loop.now
    let due = proxies.filter { named in named.resolveAt.map { $0 <= now } ?? false }
    if due.isEmpty { return }
    await withDiscardingTaskGroup { group in
      for named in due { group.addTask(executorPreference: loop) { await self.resolve(named) } }
    }
  }

  private func resolve(_ named: NamedProxy) async {
    let name = named.upstream
    do throws(NetworkError) {
      let found = try await transport.resolve(host: name.host, port: name.port)
      guard named.upstream == name else { return }
      named.proxy.upstream = found.first
      named.resolutionFailure = nil
      named.resolveAt = loop.now + Self.refresh
    } catch {
      guard named.upstream == name else { return }
      // What was found before is better than nothing.
      named.resolutionFailure = error
      named.resolveAt = loop.now + Self.retry
    }
  }
}

/// Why a set was not changed; then nothing of it was.
public enum ProxySetError: Error, Equatable, Sendable, CustomStringConvertible {
  case badName(String)
  case taken(String)
  case tooMany
  case noTLS(UpstreamName)
  /// The proxy would lead to itself.
  case loop(UpstreamName)
  case network(NetworkError)
  case faults(FaultEditError)

  public var description: String {
    switch self {
    case .badName(let name):
      "a proxy cannot be named \"\(name.prefix(64))\": expected 1 to 128 printable characters without / ? #"
    case .taken(let name): "there is a proxy \"\(name)\" already"
    case .tooMany: "\(ProxySet.most) proxies are there, and no more are taken"
    case .noTLS(let upstream): "upstream \"\(upstream)\": whether it is reached over TLS cannot be chosen here"
    case .loop(let upstream): "upstream \(upstream): the proxy itself listens there"
    case .network(let error): "cannot listen: \(error)"
    case .faults(let error): "\(error)"
    }
  }
}
