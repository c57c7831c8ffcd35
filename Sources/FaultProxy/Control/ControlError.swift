import Core
import JSON
import Network
import WebSocket

/// Why a control request was not carried out: a status, a text that names what was wrong, and each mistake in its place.
struct ControlError: Error {
  var status: Int
  var message: String
  var mistakes: JSONValue?
  var allow: String?

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }

  static func notFound(_ what: String) -> ControlError { ControlError(404, what) }

  static func method(_ allowed: String) -> ControlError {
    var error = ControlError(405, "expected \(allowed)")
    error.allow = allowed
    return error
  }

  init(_ diagnostics: Diagnostics) {
    status = 400
    message = diagnostics.all.filter { $0.severity == .error }.map { $0.rendered(file: "body") }.joined(separator: "\n")
    mistakes = diagnostics.json(file: "body")
  }

  init(_ error: FaultEditError) {
    switch error {
    case .unknown: status = 404
    case .taken, .untracked, .tooMany: status = 409
    case .gone: status = 404
    }
    message =
      switch error {
      case .gone: "\"clients\": \(error)"
      case .untracked: "\"fault\": \(error)"
      case .taken: "\"name\": \(error)"
      default: "\(error)"
      }
  }

  init(_ error: ProxySetError) {
    switch error {
    case .badName, .noTLS, .loop: self.init(400, "\(error)")
    case .taken, .tooMany: self.init(409, "\(error)")
    case .network: self.init(500, "\(error)")
    case .faults(let error): self.init(error)
    }
  }

  var response: HTTPResponse {
    var body = JSONObject([("error", .string(message)), ("status", .integer(Int64(status)))])
    if let mistakes { body["mistakes"] = mistakes }
    var response = HTTPResponse.json(.object(body), status: status)
    if let allow { response.headers.append("Allow", allow) }
    return response
  }
}

extension HTTPResponse {
  static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: HTTPHeaders([HeaderField("Content-Type", "application/json")]),
      body: value.encoded() + [UInt8(ascii: "\n")])
  }

  static let noContent = HTTPResponse(status: 204)
}
