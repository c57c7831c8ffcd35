/// The head of an HTTP/1.x request.
public struct HTTPRequestHead: Hashable, Sendable {
  public var method: String
  /// The request target as written: `/path?query`.
  public var target: String
  public var headers: HTTPHeaders
  /// 1 for HTTP/1.1, 0 for HTTP/1.0.
  public var minorVersion: Int

  public init(method: String, target: String, headers: HTTPHeaders = HTTPHeaders(), minorVersion: Int = 1) {
    self.method = method
    self.target = target
    self.headers = headers
    self.minorVersion = minorVersion
  }

  /// The head's bytes, empty line included. Bytes that do not belong in a target are written percent-encoded.
  public func serialize() -> [UInt8] {
    var out = method.utf8.map { ASCII.isToken($0) ? $0 : UInt8(ascii: "_") }
    out.append(ASCII.space)
    for byte in target.utf8 {
      if byte > 32 && byte < 127 {
        out.append(byte)
      } else {
        let digits = Array("0123456789ABCDEF".utf8)
        out.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
      }
    }
    out.append(contentsOf: " HTTP/1.\(minorVersion)\r\n".utf8)
    headers.serialize(into: &out)
    return out
  }
}

/// The head of an HTTP/1.x response.
public struct HTTPResponseHead: Hashable, Sendable {
  /// Three digits.
  public var status: Int
  public var reason: String
  public var headers: HTTPHeaders
  /// 1 for HTTP/1.1, 0 for HTTP/1.0.
  public var minorVersion: Int

  public init(status: Int, reason: String, headers: HTTPHeaders = HTTPHeaders(), minorVersion: Int = 1) {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.minorVersion = minorVersion
  }

  /// With the standard reason phrase of `status`.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders()) {
    self.init(status: status, reason: Self.reason(of: status), headers: headers)
  }

  /// The head's bytes, empty line included.
  public func serialize() -> [UInt8] {
    var out = Array("HTTP/1.\(minorVersion) \(status) ".utf8)
    out.append(contentsOf: reason.utf8.map { ASCII.isFieldValue($0) ? $0 : ASCII.space })
    out.append(contentsOf: [ASCII.carriageReturn, ASCII.lineFeed])
    headers.serialize(into: &out)
    return out
  }

  /// The phrase RFC 9110 §15 gives a status; a general one for others.
  public static func reason(of status: Int) -> String {
    switch status {
    case 100: "Continue"
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 100..<200: "Informational"
    case 200..<300: "Success"
    case 300..<400: "Redirection"
    case 400..<500: "Client Error"
    default: "Server Error"
    }
  }
}
