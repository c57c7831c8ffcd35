import WebSocket

/// A whole HTTP request.
public struct HTTPRequest: Hashable, Sendable {
  public var method: String
  /// Path and query, as in the request line.
  public var target: String
  public var headers: HTTPHeaders
  public var body: [UInt8]

  public init(method: String = "GET", target: String = "/", headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }

  /// The target without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }
  /// What stands behind the target's question mark.
  public var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  var head: HTTPRequestHead { HTTPRequestHead(method: method, target: target, headers: headers) }
}

/// A whole HTTP response.
public struct HTTPResponse: Hashable, Sendable {
  public var status: Int
  public var headers: HTTPHeaders
  public var body: [UInt8]

  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Where HTTP requests go: scheme, host and port.
public struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
  public enum Scheme: String, Sendable { case http, https }
  public var scheme: Scheme
  /// A name or a numeric address, IPv6 without brackets.
  public var host: String
  public var port: UInt16

  /// - Parameter port: nil for the scheme's own, 80 or 443.
  public init(_ scheme: Scheme = .http, host: String, port: UInt16? = nil) {
    self.scheme = scheme
    self.host = host
    self.port = port ?? (scheme == .http ? 80 : 443)
  }

  /// The value of the Host field: the port stands there unless it is the scheme's own.
  public var hostField: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (scheme == .http ? 80 : 443) ? name : "\(name):\(port)"
  }

  public var description: String { "\(scheme.rawValue)://\(hostField)" }
}
