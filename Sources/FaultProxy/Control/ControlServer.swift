import Core
import JSON
public import Network
import WebSocket

/// The HTTP API that steers a set of proxies while they run: obload's own under `/v1`, Toxiproxy's beside it.
/// `docs/proxy-api.yaml` describes it.
///
/// @unchecked: confined to its transport's loop.
public final class ControlServer: @unchecked Sendable {
  private static let mostConnections: UInt64 = 10_000
  private static let fewConnections: UInt64 = 1000

  let set: ProxySet
  /// What `/version` says of the program.
  let version: String
  private let server: HTTPServer

  /// - Parameter transport: on the set's loop.
  public init(_ set: ProxySet, transport: any Transport, version: String) {
    self.set = set
    self.version = version
    var options = HTTPServer.Options()
    options.maxBodyBytes = 1 << 20
    let box = Box()
    server = HTTPServer(transport: transport, options: options) { request, responder in
      responder.respond(box.server?.answer(request) ?? HTTPResponse(status: 503))
    }
    box.server = self
  }

  /// @unchecked: confined to the server's loop.
  private final class Box: @unchecked Sendable { weak var server: ControlServer? }

  /// Listens. Answers the address, with the port that was given.
  @discardableResult
  public func listen(on address: SocketAddress) throws(NetworkError) -> SocketAddress {
    try server.listen(on: address)
  }

  public func close() { server.close() }

  /// Carries a request out. What fails changes nothing.
  func answer(_ request: HTTPRequest) -> HTTPResponse {
    do throws(ControlError) {
      // A page in a browser on this machine must not steer the proxy: it would say where it comes from.
      if request.headers.first("Origin") != nil || request.headers.first("User-Agent")?.hasPrefix("Mozilla/") == true {
        throw ControlError(403, "browsers are turned away, lest any page could steer this proxy")
      }
      let request = try ControlRequest(request)
      switch request.path.first {
      case "v1": return try own(request, Array(request.path.dropFirst()))
      case "metrics":
        try expect("GET", request)
        return ProxyMetrics.response(set)
      default: return try toxiproxy(request)
      }
    } catch { return error.response }
  }

  func expect(_ method: String, _ request: ControlRequest) throws(ControlError) {
    if request.method != method { throw .method(method) }
  }

  func find(_ name: String) throws(ControlError) -> NamedProxy {
    guard let named = set.proxy(name) else { throw .notFound("there is no proxy \"\(name.prefix(64))\"") }
    return named
  }

  // MARK: obload's own

  private func own(_ request: ControlRequest, _ path: [String]) throws(ControlError) -> HTTPResponse {
    switch path.first {
    case "faults" where path.count == 1:
      try expect("GET", request)
      return .json(.array(FaultRegistry.definitions.map(describe)))
    case "proxies" where path.count == 1:
      try expect("GET", request)
      return .json(.array(set.proxies.map(ProxyJSON.proxy)))
    case "proxies": return try own(request, try find(path[1]), Array(path.dropFirst(2)))
    default: throw .notFound("there is nothing at this path; docs/proxy-api.yaml lists what there is")
    }
  }

  private func own(_ request: ControlRequest, _ named: NamedProxy, _ path: [String]) throws(ControlError)
    -> HTTPResponse
  {
    guard let part = path.first else {
      try expect("GET", request)
      return .json(ProxyJSON.proxy(named))
    }
    switch (part, path.count) {
    case ("faults", 1...2): return try faults(request, named, path.count == 2 ? path[1] : nil)
    case ("connections", 1...3): return try connections(request, named, Array(path.dropFirst()))
    case ("pause", 1), ("resume", 1), ("enable", 1), ("disable", 1):
      try expect("POST", request)
      try steer(named, part)
      return .json(ProxyJSON.proxy(named))
    default: throw .notFound("there is nothing at this path; docs/proxy-api.yaml lists what there is")
    }
  }

  private func steer(_ named: NamedProxy, _ how: String) throws(ControlError) {
    switch how {
    case "pause": named.proxy.pause()
    case "resume": named.proxy.resume()
    case "disable": named.proxy.disable()
    default: try enable(named)
    }
  }

  func enable(_ named: NamedProxy) throws(ControlError) {
    do throws(NetworkError) { try named.proxy.enable() } catch { throw ControlError(.network(error)) }
  }

  private func describe(_ definition: FaultDefinition) -> JSONValue {
    [
      "fault": .string(definition.kind), "summary": .string(definition.summary),
      "direction": definition.defaultDirection.map { .string($0.rawValue) } ?? .null,
      "isMoment": .bool(definition.isMoment),
    ]
  }

  // MARK: Faults

  private func faults(
    _ request: ControlRequest, _ named: NamedProxy, _ name: String?
  ) throws(ControlError) -> HTTPResponse {
    guard let name else { return try allFaults(request, named) }
    guard let written = named.written(name) else { throw .notFound("there is no fault \"\(name.prefix(64))\"") }
    switch request.method {
    case "GET": break
    case "PUT": return try change(named, name, try decode(request))
    case "PATCH":
      let diagnostics = Diagnostics()
      let value = try request.json(diagnostics)
      return try change(named, name, try decode(Self.merged(written, value), diagnostics))
    case "DELETE":
      do throws(FaultEditError) { try named.removeFault(name) } catch { throw ControlError(error) }
      return .noContent
    default: throw .method("GET, PUT, PATCH, DELETE")
    }
    return try answer(named, name)
  }

  private func allFaults(_ request: ControlRequest, _ named: NamedProxy) throws(ControlError) -> HTTPResponse {
    switch request.method {
    case "GET": break
    case "POST":
      let fault = try decode(request)
      let names: [String]
      do throws(FaultEditError) { names = try named.add([fault]) } catch { throw ControlError(error) }
      return try answer(named, names.first ?? "", status: 201)
    case "PUT":
      let diagnostics = Diagnostics()
      let requests = FaultRequest.decodeList(try request.json(diagnostics), diagnostics)
      if diagnostics.hasErrors { throw ControlError(diagnostics) }
      do throws(FaultEditError) { try named.replaceAll(with: requests) } catch { throw ControlError(error) }
    case "DELETE": named.clear()
    default: throw .method("GET, POST, PUT, DELETE")
    }
    return .json(ProxyJSON.faults(named))
  }

  private func decode(_ request: ControlRequest) throws(ControlError) -> FaultRequest {
    let diagnostics = Diagnostics()
    return try decode(try request.json(diagnostics), diagnostics)
  }

  private func decode(_ value: LocatedValue, _ diagnostics: Diagnostics) throws(ControlError) -> FaultRequest {
    let fault = FaultRequest.decode(value, diagnostics)
    guard let fault, !diagnostics.hasErrors else { throw ControlError(diagnostics) }
    return fault
  }

  private func change(
    _ named: NamedProxy, _ name: String, _ fault: FaultRequest
  ) throws(ControlError) -> HTTPResponse {
    let changed: String
    do throws(FaultEditError) { changed = try named.change(name, to: fault) } catch { throw ControlError(error) }
    return try answer(named, changed)
  }

  private func answer(_ named: NamedProxy, _ name: String, status: Int = 200) throws(ControlError) -> HTTPResponse {
    guard let state = named.proxy.faultStates.first(where: { $0.entry.name == name }) else {
      throw .notFound("there is no fault \"\(name.prefix(64))\"")
    }
    return .json(ProxyJSON.fault(named, state), status: status)
  }

  /// What was written with some keys changed; null takes a key out.
  private static func merged(_ written: JSONValue, _ changes: LocatedValue) -> LocatedValue {
    guard let members = changes.members else { return changes }
    var result: [LocatedMember] = []
    let place = SourceLocation.outside("the fault as it is")
    for member in (written.object ?? JSONObject()).members where changes[member.key] == nil {
      guard let value = LocatedJSON.read(member.value.encoded()).value else { continue }
      result.append(LocatedMember(key: member.key, keyLocation: place, value: value.relocated(to: place)))
    }
    result += members.filter { $0.value.kind != .null }
    return LocatedValue(.object(result), at: changes.location)
  }

  // MARK: Connections

  private func connections(
    _ request: ControlRequest, _ named: NamedProxy, _ path: [String]
  ) throws(ControlError) -> HTTPResponse {
    guard let text = path.first else {
      try expect("GET", request)
      let after = try request.number("after", in: 0...(1 << 56) - 1)
      let limit = try request.number("limit", in: 1...Self.mostConnections) ?? Self.fewConnections
      let states = named.proxy.connectionStates(
        after: after.map { ConnectionID(loop: 0, ordinal: $0) }, limit: Int(limit))
      return .json([
        "open": .integer(Int64(named.proxy.statistics.open)),
        "connections": .array(states.map { ProxyJSON.connection($0, now: set.loop.now) }),
      ])
    }
    guard let number = UInt64(text), number < 1 << 56 else {
      throw .notFound("\"\(text.prefix(64))\" is not the number of a connection")
    }
    let id = ConnectionID(loop: 0, ordinal: number)
    guard let state = named.proxy.connectionState(id) else { throw .notFound("connection \(number) is not open") }
    guard path.count == 2 else {
      try expect("GET", request)
      return .json(ProxyJSON.connection(state, now: set.loop.now))
    }
    guard ["reset", "close"].contains(path[1]) else {
      throw .notFound("a connection can be \"reset\" or \"close\"d, not \"\(path[1].prefix(64))\"")
    }
    try expect("POST", request)
    _ = path[1] == "reset" ? named.proxy.reset(id) : named.proxy.close(id)
    return .noContent
  }
}
