import JSON
import Network

/// A request to the control API, taken apart.
struct ControlRequest {
  var method: String
  /// The path's parts, decoded.
  var path: [String]
  private var query: [(name: String, value: String)]
  private var body: [UInt8]

  init(_ request: HTTPRequest) throws(ControlError) {
    method = request.method
    body = request.body
    path = []
    for part in request.path.split(separator: "/") {
      guard let decoded = Self.decoded(part) else { throw ControlError(400, "the path is not percent-encoded UTF-8") }
      path.append(decoded)
    }
    query = (request.query ?? "").split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
  }

  /// The body as JSON5.
  func json(_ diagnostics: Diagnostics) throws(ControlError) -> LocatedValue {
    let value = LocatedJSON.read(body, limits: JSONLimits(depth: 64, bytes: 1 << 20), diagnostics: diagnostics).value
    if diagnostics.hasErrors { throw ControlError(diagnostics) }
    guard let value else { throw ControlError(400, "the body is empty; expected JSON") }
    return value
  }

  /// A whole number of the query; nil if it is not there.
  func number(_ name: String, in range: ClosedRange<UInt64>) throws(ControlError) -> UInt64? {
    guard let text = query.first(where: { $0.name == name })?.value else { return nil }
    guard let number = UInt64(text), range.contains(number) else {
      throw ControlError(
        400, "\"\(name)\" of the query: expected a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Percent-decoding (RFC 3986 §2.1); nil where it is not that, or no UTF-8.
  private static func decoded(_ part: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(part.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
