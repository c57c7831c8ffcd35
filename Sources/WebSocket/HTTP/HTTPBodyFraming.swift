/// How the end of an HTTP message's body is found (RFC 9112 §6.3).
public enum HTTPBodyFraming: Hashable, Sendable {
  /// Exactly this many bytes; 0 where there is no body.
  case length(UInt64)
  case chunked
  /// Until the peer closes; responses only.
  case untilClose

  /// The framing of a request's body.
  public init(of request: HTTPRequestHead) throws(HTTPError) {
    self = try Self.declared(request.headers) ?? .length(0)
  }

  /// The framing of the body of a response to a request with `method`.
  public init(of response: HTTPResponseHead, to method: String) throws(HTTPError) {
    let bodiless = method == "HEAD" || response.status < 200 || response.status == 204 || response.status == 304
    if bodiless {
      self = .length(0)
    } else {
      self = try Self.declared(response.headers) ?? .untilClose
    }
  }

  private static func declared(_ headers: HTTPHeaders) throws(HTTPError) -> HTTPBodyFraming? {
    let encodings = headers.tokens("Transfer-Encoding")
    let lengths = headers.all("Content-Length")
    if !headers.all("Transfer-Encoding").isEmpty {
      // Two framings in one message are how requests are smuggled (RFC 9112 §6.1): refused.
      guard lengths.isEmpty else { throw .contentLengthWithTransferEncoding }
      guard encodings.count == 1, ASCII.equalIgnoringCase(encodings[0], "chunked") else {
        throw .unsupportedTransferEncoding(ASCII.quoted(Array(encodings.joined(separator: ", ").utf8)))
      }
      return .chunked
    }
    guard !lengths.isEmpty else { return nil }
    let members = headers.tokens("Content-Length")
    guard let first = members.first else { throw .malformedContentLength("\"\"") }
    guard members.allSatisfy({ $0 == first }) else {
      throw .conflictingContentLengths(members.prefix(4).map { ASCII.quoted(Array($0.utf8)) })
    }
    guard first.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let length = UInt64(first) else {
      throw .malformedContentLength(ASCII.quoted(Array(first.utf8)))
    }
    return .length(length)
  }
}
