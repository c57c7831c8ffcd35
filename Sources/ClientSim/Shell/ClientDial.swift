import Core
import Network

/// Where clients connect to, and from where.
public struct ClientDial {
  /// How many connections one source address makes to one destination at most: Linux has 28,232 ports for them, some of
  /// which still wait for an earlier connection's end.
  public static let clientsPerSource = 25_000

  public var address: SocketAddress
  /// The `Host` of the upgrade request.
  public var host: String
  /// Its path and query.
  public var target: String
  public var headers: [HeaderField]
  /// The local address for a client; nil lets the system choose.
  public var source: (ClientID) -> SocketAddress?
  /// Gets each connection's local address before its peer can see the connection: with the client, and its fleet's position.
  public var bound: ((SocketAddress, ClientID, Int) -> Void)?

  public init(
    address: SocketAddress, host: String, target: String, headers: [HeaderField] = [],
    source: ((ClientID) -> SocketAddress?)? = nil, bound: ((SocketAddress, ClientID, Int) -> Void)? = nil
  ) {
    self.address = address
    self.host = host
    self.target = target
    self.headers = headers
    self.source = source ?? { _ in nil }
    self.bound = bound
  }

  /// Spreads clients over 127.0.0.2, 127.0.0.3, …, where one loopback address has not ports enough for all of them;
  /// nil for every client where it has.
  public static func loopbackSources(clients: Int) -> (ClientID) -> SocketAddress? {
    if clients <= clientsPerSource { return { _ in nil } }
    return { .ipv4(0x7F00_0002 + client($0), port: 0) }
    func client(_ client: ClientID) -> UInt32 { client.number / UInt32(clientsPerSource) }
  }
}
