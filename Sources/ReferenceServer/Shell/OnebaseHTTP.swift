import Core
import Network
import Protocols
import WebSocket

/// The HTTP face of the onebase server: which function a request calls, and the answers that need no function.
enum OnebaseHTTP {
  enum Route: Equatable {
    case call(OnebaseCallKind)
    case answer(HTTPResponse)
  }

  /// `POST /api/query`, `/api/mutation` and `/api/action`.
  static func route(_ request: HTTPRequest) -> Route {
    let path = request.path
    guard path.hasPrefix("/api/"), let kind = OnebaseCallKind(rawValue: String(path.dropFirst(5))) else {
      return .answer(json(404, OnebaseHub.failure("Nothing is at this path")))
    }
    guard request.method == "POST" else {
      var response = json(405, OnebaseHub.failure("Calls are made with POST"))
      response.headers.set("Allow", "POST")
      return .answer(response)
    }
    return .call(kind)
  }

  static func json(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
    var headers = HTTPHeaders([HeaderField("Content-Type", "application/json")])
    // RFC 9110 §11.6.1: a 401 names the scheme it wants.
    if status == 401 { headers.set("WWW-Authenticate", "Bearer") }
    return HTTPResponse(status: status, headers: headers, body: body)
  }

  /// A 429 with its Retry-After, in whole seconds, rounded up.
  static func tooMany(retryAfter: Duration) -> HTTPResponse {
    var response = json(429, OnebaseHub.failure("Too many requests"))
    let nanoseconds = max(retryAfter.nanoseconds, 0)
    let seconds = nanoseconds / 1_000_000_000 + (nanoseconds % 1_000_000_000 == 0 ? 0 : 1)
    response.headers.set("Retry-After", String(max(seconds, 1)))
    return response
  }
}
