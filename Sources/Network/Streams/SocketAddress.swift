import CSys
import Glibc

/// Where a stream or a listener is: an IPv4 or IPv6 address, or a name of the in-memory network, with a port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  enum Host: Hashable, Sendable {
    case ipv4(UInt32)
    case ipv6(high: UInt64, low: UInt64, scope: UInt32)
    case memory(String)
  }

  let hostValue: Host
  /// 0 asks for any free port.
  public var port: UInt16

  init(_ host: Host, port: UInt16) {
    hostValue = host
    self.port = port
  }

  /// An IPv4 address as a number: 127.0.0.1 is 0x7F00_0001.
  public static func ipv4(_ address: UInt32, port: UInt16) -> SocketAddress {
    SocketAddress(.ipv4(address), port: port)
  }
  /// An IPv6 address as two halves.
  public static func ipv6(high: UInt64, low: UInt64, scope: UInt32 = 0, port: UInt16) -> SocketAddress {
    SocketAddress(.ipv6(high: high, low: low, scope: scope), port: port)
  }
  /// 127.0.0.1.
  public static func loopback(port: UInt16) -> SocketAddress { .ipv4(0x7F00_0001, port: port) }
  /// ::1.
  public static func loopback6(port: UInt16) -> SocketAddress { .ipv6(high: 0, low: 1, port: port) }
  /// A host of the in-memory network, by name.
  public static func memory(_ host: String, port: UInt16) -> SocketAddress { SocketAddress(.memory(host), port: port) }

  /// "127.0.0.1:4000", "[::1]:80": numeric addresses only; nil for anything else.
  public static func parse(_ text: some StringProtocol) -> SocketAddress? {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      return nil
    }
    let host = text[..<colon]
    if host.hasPrefix("[") && host.hasSuffix("]") {
      let inner = host.dropFirst().dropLast()
      return inner.contains(":") ? numeric(host: String(inner), port: port) : nil
    }
    return host.contains(":") ? nil : numeric(host: String(host), port: port)
  }

  /// The address of a numeric host ("127.0.0.1", "::1", brackets allowed); nil if it is a name.
  public static func numeric(host: String, port: UInt16) -> SocketAddress? {
    var v4 = in_addr()
    if inet_pton(AF_INET, host, &v4) == 1 { return .ipv4(UInt32(bigEndian: v4.s_addr), port: port) }
    var bare = host[...]
    if bare.hasPrefix("[") && bare.hasSuffix("]") { bare = bare.dropFirst().dropLast() }
    var scope: UInt32 = 0
    if let percent = bare.firstIndex(of: "%") {
      let zone = String(bare[bare.index(after: percent)...])
      scope = UInt32(zone) ?? if_nametoindex(zone)
      if scope == 0 { return nil }
      bare = bare[..<percent]
    }
    var v6 = in6_addr()
    guard inet_pton(AF_INET6, String(bare), &v6) == 1 else { return nil }
    return withUnsafeBytes(of: &v6) { bytes in
      .ipv6(high: word(bytes, at: 0), low: word(bytes, at: 8), scope: scope, port: port)
    }
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The host alone, without brackets.
  public var host: String {
    switch hostValue {
    case .ipv4(let address):
      return "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
    case .ipv6(let high, let low, let scope):
      var halves = (high.bigEndian, low.bigEndian)
      var text = [CChar](repeating: 0, count: 64)
      inet_ntop(AF_INET6, &halves, &text, socklen_t(text.count))
      let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return scope == 0 ? name : "\(name)%\(scope)"
    case .memory(let name): return name
    }
  }

  /// Whether it stays on this machine: 127.0.0.0/8, ::1, or the in-memory network.
  public var isLoopback: Bool {
    switch hostValue {
    case .ipv4(let address): address >> 24 == 127
    case .ipv6(let high, let low, _): high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
    case .memory: true
    }
  }

  /// Whether it stands for every address of the machine (0.0.0.0, ::).
  public var isWildcard: Bool {
    switch hostValue {
    case .ipv4(let address): address == 0
    case .ipv6(let high, let low, _): high == 0 && low == 0
    case .memory: false
    }
  }

  /// The same host with another port.
  public func with(port: UInt16) -> SocketAddress { SocketAddress(hostValue, port: port) }

  public var description: String {
    if case .ipv6 = hostValue { return "[\(host)]:\(port)" }
    return "\(host):\(port)"
  }
}

extension SocketAddress {
  /// The address as the system takes it; nil for the in-memory network's.
  var system: csys_address? {
    var address = csys_address()
    address.port = port
    switch hostValue {
    case .ipv4(let number):
      address.family = 4
      withUnsafeMutableBytes(of: &address.bytes) { $0.storeBytes(of: number.bigEndian, as: UInt32.self) }
    case .ipv6(let high, let low, let scope):
      address.family = 6
      address.scope = scope
      withUnsafeMutableBytes(of: &address.bytes) {
        $0.storeBytes(of: high.bigEndian, as: UInt64.self)
        $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
    case .memory: return nil
    }
    return address
  }

  init(system address: csys_address) {
    port = address.port
    hostValue = withUnsafeBytes(of: address.bytes) { bytes in
      address.family == 6
        ? .ipv6(high: Self.word(bytes, at: 0), low: Self.word(bytes, at: 8), scope: address.scope)
        : .ipv4(UInt32(bigEndian: bytes.load(as: UInt32.self)))
    }
  }
}
