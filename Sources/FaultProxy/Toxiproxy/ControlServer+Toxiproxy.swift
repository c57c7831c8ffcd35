import Core
import JSON
import Network

/// The subset of Toxiproxy's API that its clients use, so that they drive obload unchanged.
extension ControlServer {
  /// The version of Toxiproxy whose API this is.
  static let toxiproxyVersion = "2.12.0"

  func toxiproxy(_ request: ControlRequest) throws(ControlError) -> HTTPResponse {
    switch (request.path.first, request.path.count) {
    case ("version", 1):
      try expect("GET", request)
      return .json(["version": .string(Self.toxiproxyVersion), "server": .string("obload \(version)")])
    case ("reset", 1):
      try expect("POST", request)
      do throws(ProxySetError) { try set.reset() } catch { throw ControlError(error) }
      return .noContent
    case ("populate", 1):
      try expect("POST", request)
      return try populate(request)
    case ("proxies", 1):
      switch request.method {
      case "GET":
        return .json(.object(JSONObject(set.proxies.map { ($0.name, Self.json($0)) })))
      case "POST": return .json(Self.json(try create(try body(request))), status: 201)
      default: throw .method("GET, POST")
      }
    case ("proxies", 2): return try proxy(request)
    case ("proxies", 3...4) where request.path[2] == "toxics":
      let named = try found(request.path[1])
      return request.path.count == 3 ? try toxics(request, named) : try toxic(request, named, request.path[3])
    default: throw .notFound("there is nothing at this path; docs/proxy-api.yaml lists what there is")
    }
  }

  /// Its clients look for this text.
  private func found(_ name: String) throws(ControlError) -> NamedProxy {
    guard let named = set.proxy(name) else { throw .notFound("proxy not found") }
    return named
  }

  private func body(_ request: ControlRequest) throws(ControlError) -> LocatedValue {
    try request.json(Diagnostics())
  }

  static func json(_ named: NamedProxy) -> JSONValue {
    [
      "name": .string(named.name), "listen": .string("\(named.listen)"), "upstream": .string("\(named.upstream)"),
      "enabled": .bool(named.proxy.isEnabled), "toxics": .array(named.allToxics.map(\.json)),
    ]
  }

  // MARK: Proxies

  private struct Fields {
    var name: String?
    var listen: SocketAddress?
    var upstream: UpstreamName?
    var isEnabled: Bool?

    init(_ body: LocatedValue) throws(ControlError) {
      guard body.members != nil else { throw ControlError(400, "bad request body: a proxy is an object { … }") }
      func text(_ key: String) throws(ControlError) -> String? {
        guard let value = body[key], value.kind != .null else { return nil }
        guard let text = value.string else { throw ControlError(400, "\"\(key)\" cannot be \(value.summary)") }
        return text.isEmpty ? nil : text
      }
      name = try text("name")
      if let written = try text("listen") {
        guard let address = ListenText.parse(written) else {
          throw ControlError(400, "\"listen\" cannot be \"\(written.prefix(64))\"; expected \(ListenText.expected)")
        }
        listen = address
      }
      if let written = try text("upstream") {
        guard let found = UpstreamName.parse(written) else {
          throw ControlError(400, "\"upstream\" cannot be \"\(written.prefix(64))\"; expected \(UpstreamName.expected)")
        }
        upstream = found
      }
      if let value = body["enabled"], value.kind != .null {
        guard case .bool(let flag) = value.kind else {
          throw ControlError(400, "\"enabled\" cannot be \(value.summary); expected true or false")
        }
        isEnabled = flag
      }
    }

    func specification() throws(ControlError) -> ProxySet.Specification {
      guard let name else { throw ControlError(400, "missing required field: \"name\"") }
      guard let upstream else { throw ControlError(400, "missing required field: \"upstream\"") }
      var result = ProxySet.Specification(name: name, listen: listen ?? .loopback(port: 0), upstream: upstream)
      result.isEnabled = isEnabled ?? true
      return result
    }
  }

  private func create(_ body: LocatedValue) throws(ControlError) -> NamedProxy {
    let specification = try Fields(body).specification()
    do throws(ProxySetError) { return try set.add(specification) } catch {
      if case .taken = error { throw ControlError(409, "proxy already exists: \(error)") }
      throw ControlError(error)
    }
  }

  /// All of them are read before one is made.
  private func populate(_ request: ControlRequest) throws(ControlError) -> HTTPResponse {
    guard let elements = try body(request).elements else {
      throw ControlError(400, "bad request body: expected an array")
    }
    var wanted: [ProxySet.Specification] = []
    for element in elements { wanted.append(try Fields(element).specification()) }
    var made: [JSONValue] = []
    for specification in wanted {
      if let named = set.proxy(specification.name) {
        do throws(ProxySetError) {
          try set.change(named, listen: specification.listen, upstream: specification.upstream)
        } catch { throw ControlError(error) }
        if specification.isEnabled { try enable(named) } else { named.proxy.disable() }
        made.append(Self.json(named))
      } else {
        do throws(ProxySetError) { made.append(Self.json(try set.add(specification))) } catch {
          throw ControlError(error)
        }
      }
    }
    return .json(["proxies": .array(made)], status: 201)
  }

  private func proxy(_ request: ControlRequest) throws(ControlError) -> HTTPResponse {
    let named = try found(request.path[1])
    switch request.method {
    case "GET": break
    case "POST", "PATCH":
      let fields = try Fields(try body(request))
      do throws(ProxySetError) { try set.change(named, listen: fields.listen, upstream: fields.upstream) } catch {
        throw ControlError(error)
      }
      switch fields.isEnabled {
      case true?: try enable(named)
      case false?: named.proxy.disable()
      case nil: break
      }
    case "DELETE":
      _ = set.remove(named.name)
      return .noContent
    default: throw .method("GET, POST, PATCH, DELETE")
    }
    return .json(Self.json(named))
  }

  // MARK: Toxics

  private func toxics(_ request: ControlRequest, _ named: NamedProxy) throws(ControlError) -> HTTPResponse {
    switch request.method {
    case "GET": return .json(.array(named.allToxics.map(\.json)))
    case "POST":
      let toxic = try Toxic.decode(try body(request))
      do throws(FaultEditError) { try named.add(toxic) } catch {
        if case .taken = error { throw ControlError(409, "toxic already exists: \(error)") }
        throw ControlError(error)
      }
      return .json(toxic.json)
    default: throw .method("GET, POST")
    }
  }

  private func toxic(
    _ request: ControlRequest, _ named: NamedProxy, _ name: String
  ) throws(ControlError) -> HTTPResponse {
    guard let toxic = named.toxic(name) else { throw .notFound("toxic not found") }
    switch request.method {
    case "GET": return .json(toxic.json)
    case "POST", "PATCH":
      let changed = try Toxic.decode(try body(request), changing: toxic)
      do throws(FaultEditError) { try named.change(changed) } catch { throw ControlError(error) }
      return .json(changed.json)
    case "DELETE":
      do throws(FaultEditError) { try named.removeFault(name) } catch { throw ControlError(error) }
      return .noContent
    default: throw .method("GET, POST, PATCH, DELETE")
    }
  }
}
