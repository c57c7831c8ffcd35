public import Network

/// Where a proxy of a set passes connections on to, as a person wrote it: a host that may be a name, and a port.
public struct UpstreamName: Hashable, Sendable, CustomStringConvertible {
  public var host: String
  public var port: UInt16
  /// Reached over TLS.
  public var isSecure: Bool

  public static let expected =
    "a URL or HOST:PORT, such as \"ws://127.0.0.1:4000\", \"tcp://db:5432\" or \"localhost:8080\""

  public init(host: String, port: UInt16, isSecure: Bool = false) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }

  /// "ws://host:port/path", "http://host", "tcp://host:port", "host:port"; nil for anything else. A path means nothing
  /// here: the proxy passes request targets on as they come.
  public static func parse(_ text: String) -> UpstreamName? {
    var rest = text[...]
    var defaultPort: UInt16?
    var isSecure = false
    if let separator = text.firstRange(of: "://") {
      switch text[..<separator.lowerBound].lowercased() {
      case "ws", "http": defaultPort = 80
      case "wss", "https": (defaultPort, isSecure) = (443, true)
      case "tcp": break
      case "tls": isSecure = true
      default: return nil
      }
      rest = text[separator.upperBound...]
      rest = rest[..<(rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex)]
    }
    guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !rest.contains("@"), !rest.contains("/") else { return nil }
    guard let (host, port) = split(rest, defaultPort) else { return nil }
    return UpstreamName(host: host, port: port, isSecure: isSecure)
  }

  private static func split(_ text: Substring, _ defaultPort: UInt16?) -> (String, UInt16)? {
    var (host, digits) = (text, Substring())
    if text.hasPrefix("[") {
      guard let close = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<close]
      let tail = text[text.index(after: close)...]
      guard tail.isEmpty || tail.hasPrefix(":") else { return nil }
      digits = tail.dropFirst()
      guard SocketAddress.numeric(host: String(host), port: 0) != nil else { return nil }
    } else if let colon = text.lastIndex(of: ":") {
      host = text[..<colon]
      digits = text[text.index(after: colon)...]
      guard !host.contains(":") else { return nil }
    }
    guard !host.isEmpty, host.utf8.count <= 255 else { return nil }
    if digits.isEmpty { return text.hasSuffix(":") ? nil : defaultPort.map { (String(host), $0) } }
    guard let port = UInt16(digits), port > 0 else { return nil }
    return (String(host), port)
  }

  /// The address, where the host is one already.
  public var address: SocketAddress? {
    host.lowercased() == "localhost" ? .loopback(port: port) : SocketAddress.numeric(host: host, port: port)
  }

  /// `host:port`.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Where to listen, as a person wrote it.
public enum ListenText {
  public static let expected =
    "an address and port, such as 127.0.0.1:8080, [::1]:8080 or :8080 (this machine alone); 0.0.0.0:8080 is open to others"

  /// An address with its port; a port alone, and `localhost`, mean loopback. Nil for names and anything else.
  public static func parse(_ text: String) -> SocketAddress? {
    if let address = SocketAddress.parse(text) { return address }
    var digits = text[...]
    for prefix in ["localhost:", ":"] where text.hasPrefix(prefix) { digits = text.dropFirst(prefix.count) }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      return nil
    }
    return .loopback(port: port)
  }
}
