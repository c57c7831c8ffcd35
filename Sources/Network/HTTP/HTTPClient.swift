import Core
import WebSocket

/// Sends HTTP requests. The caller does not know how: over a byte stream, or with a library.
public protocol HTTPClient: AnyObject, Sendable {
  /// Sends `request` and waits for the whole answer, whatever its status; redirects are answers. `Host` and
  /// `Content-Length` are added where they are missing. Cancellable.
  ///
  /// - `timeout`: for all of it, from the call on; nil: the client's own.
  func send(
    _ request: HTTPRequest, to origin: HTTPOrigin, timeout: Duration?
  ) async throws(HTTPClientError) -> HTTPResponse
}

extension HTTPClient {
  public func send(_ request: HTTPRequest, to origin: HTTPOrigin) async throws(HTTPClientError) -> HTTPResponse {
    try await send(request, to: origin, timeout: nil)
  }
}

/// Why a request got no answer.
public enum HTTPClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No connection could be made, or it broke.
  case network(NetworkError)
  case timedOut
  case cancelled
  /// The answer was not HTTP, or too large.
  case malformed(HTTPError)
  /// The connection ended before the answer was complete.
  case ended
  /// This client cannot speak the scheme.
  case unsupportedScheme(String)
  /// Anything else a library reports, in its words.
  case other(String)

  public var description: String {
    switch self {
    case .network(let error): "\(error)"
    case .timedOut: "no answer in time"
    case .cancelled: "cancelled"
    case .malformed(let error): "\(error)"
    case .ended: "the connection ended before the answer was complete"
    case .unsupportedScheme(let scheme): "this client speaks http only, not \(scheme)"
    case .other(let text): text
    }
  }
}
