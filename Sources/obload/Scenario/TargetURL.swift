import Network

/// A WebSocket URL: where to connect, and what the upgrade request says.
struct TargetURL: Hashable, CustomStringConvertible {
  struct Mistake: Error, Equatable {
    var message: String
    var expected: String
  }

  var host: String
  var port: UInt16
  /// Path and query, from the slash on.
  var target: String

  var isLoopback: Bool {
    host.lowercased() == "localhost" || SocketAddress.numeric(host: host, port: port)?.isLoopback == true
  }

  /// The Host header field.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 80 ? name : "\(name):\(port)"
  }

  var description: String { "ws://\(authority)\(target)" }

  static let expected = "a URL such as \"ws://127.0.0.1:4000/api/sync\""

  static func parse(_ text: String) -> Result<TargetURL, Mistake> {
    func wrong(_ message: String, _ expected: String = Self.expected) -> Result<TargetURL, Mistake> {
      .failure(Mistake(message: message, expected: expected))
    }
    guard let separator = text.firstRange(of: "://") else { return wrong("\"\(text)\" is not a URL") }
    switch text[..<separator.lowerBound].lowercased() {
    case "ws": break
    case "wss": return wrong("wss:// is not available yet", "ws://, to the plain port of the target")
    default: return wrong("the scheme of \"\(text)\" is not one of WebSocket")
    }
    let rest = text[separator.upperBound...]
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let authority = rest[..<end]
    guard !authority.isEmpty else { return wrong("\"\(text)\" has no host") }
    guard !authority.contains("@") else {
      return wrong("a URL must not carry a user or password", "a token from the environment: token: { env: \"NAME\" }")
    }
    guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      return wrong("\"\(text)\" has a space or control character")
    }
    guard let (host, port) = split(authority) else { return wrong("\"\(authority)\" is not a host and port") }
    let path = String(rest[end...].prefix { $0 != "#" })
    return .success(TargetURL(host: host, port: port, target: path.hasPrefix("/") ? path : "/" + path))
  }

  private static func split(_ authority: Substring) -> (String, UInt16)? {
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      let host = String(authority[authority.index(after: authority.startIndex)..<close])
      let tail = authority[authority.index(after: close)...]
      if tail.isEmpty { return (host, 80) }
      guard tail.hasPrefix(":"), let port = UInt16(tail.dropFirst()), port > 0 else { return nil }
      return (host, port)
    }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard !parts[0].isEmpty else { return nil }
    if parts.count == 1 { return (String(parts[0]), 80) }
    guard parts.count == 2, let port = UInt16(parts[1]), port > 0 else { return nil }
    return (String(parts[0]), port)
  }
}
