public import Core
import JSON

/// Whom a fault hits.
public enum FaultTarget: Hashable, Sendable {
  case all
  /// So many of the clients, 0 to 1; which ones is drawn once from the seed and is the same in every run.
  case share(Double)
  /// The clients of one fleet: `count` of them, from `first`.
  case fleet(name: String, first: ClientID, count: Int)
  case client(ClientID)
  /// One connection; only for faults that are added while it is open.
  case connection(ConnectionID)
  /// Those that come from this host, as `SocketAddress.host` writes it.
  case address(String)

  /// What a fault knows of a connection when it asks whether that is a target.
  public struct Subject: Hashable, Sendable {
    public var connection: ConnectionID
    /// Nil for a client that is not ours.
    public var client: ClientID?
    /// Where the connection came from, without the port.
    public var host: String
    public init(connection: ConnectionID, client: ClientID?, host: String) {
      self.connection = connection
      self.client = client
      self.host = host
    }
  }

  /// Whether `subject` is hit.
  ///
  /// - `salt`: the fault's membership salt (`FaultEntry.salt`), so that two faults draw apart.
  /// - A foreign client that says nothing of itself counts as a new one on each connection.
  public func contains(_ subject: Subject, seed: UInt64, salt: UInt64) -> Bool {
    switch self {
    case .all: return true
    case .share(let share):
      let number = subject.client.map { UInt64($0.number) } ?? (subject.connection.rawValue | 1 << 63)
      var random = SeededRandom(seed: seed ^ salt, purpose: .faultMembership, subject: number)
      return random.unit() < share
    case .fleet(_, let first, let count):
      guard let client = subject.client else { return false }
      return client >= first && Int(client.number - first.number) < count
    case .client(let client): return subject.client == client
    case .connection(let connection): return subject.connection == connection
    case .address(let host): return subject.host == host
    }
  }
}

extension FaultTarget: CustomStringConvertible {
  /// As a scenario writes it.
  public var description: String {
    switch self {
    case .all: "all"
    case .share(let share):
      // 0.29 * 100 is not quite 29.
      (share * 100).rounded() / 100 == share ? "\(Int((share * 100).rounded()))%" : "\(share * 100)%"
    case .fleet(let name, _, _): "fleet:\(name)"
    case .client(let client): "client:\(client.number)"
    case .connection(let connection): "connection:\(connection.ordinal)"
    case .address(let host): "address:\(host)"
    }
  }
}

extension FaultTarget {
  static let expected =
    "\"all\", a share such as \"30%\", the name of a fleet (or \"fleet:NAME\"), \"client:NUMBER\" or \"address:HOST\""

  /// Decodes the key `clients`; all where it is absent or wrong (and reported).
  static func decode(_ options: SectionDecoder, fleets: [FaultFleet]) -> FaultTarget {
    guard let text = options.string("clients") else { return .all }
    func mistake(_ message: String, _ expected: String, _ suggestion: String? = nil) -> FaultTarget {
      options.mistake("clients", message, expected: expected, suggestion: suggestion)
      return .all
    }
    func fleet(_ name: String) -> FaultTarget? {
      fleets.first { $0.name == name }.map { .fleet(name: name, first: $0.first, count: $0.count) }
    }
    func unknownFleet(_ name: String) -> FaultTarget {
      let names = fleets.map(\.name)
      return mistake(
        "there is no fleet \"\(name)\"",
        names.isEmpty ? expected : "one of " + names.map { "\"\($0)\"" }.joined(separator: ", "),
        Suggestion.nearest(to: name, among: names))
    }
    if text == "all" { return .all }
    if text.hasSuffix("%") {
      return Quantity.share(text).map { .share($0) } ?? mistake("\"\(text)\" is no share", Quantity.expectedShare)
    }
    if text.hasPrefix("fleet:") {
      let name = String(text.dropFirst("fleet:".count))
      return fleet(name) ?? unknownFleet(name)
    }
    if text.hasPrefix("client:") {
      let total = fleets.map { Int($0.first.number) + $0.count }.max() ?? 0
      guard let number = UInt32(text.dropFirst("client:".count)), Int(number) < total else {
        return mistake("there is no \"\(text)\"", "a client from \"client:0\" to \"client:\(max(0, total - 1))\"")
      }
      return .client(ClientID(number))
    }
    if text.hasPrefix("address:") {
      let host = String(text.dropFirst("address:".count))
      return host.isEmpty ? mistake("\"\(text)\" names no host", "\"address:127.0.0.2\"") : .address(host)
    }
    if let fleet = fleet(text) { return fleet }
    let known = ["all"] + fleets.map(\.name)
    return mistake("\"clients\" names no client: \"\(text)\"", expected, Suggestion.nearest(to: text, among: known))
  }
}

/// A fleet as faults know it: a range of client numbers with a name.
public typealias FaultFleet = (name: String, first: ClientID, count: Int)
