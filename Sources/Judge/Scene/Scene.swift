import Core

/// What clauses share: the connections and clients as seen so far, the faults' windows, and the log of violations.
public struct Scene: Sendable {
  public let options: JudgeOptions
  public internal(set) var windows: FaultWindows
  public internal(set) var connections: [ConnectionState] = []
  public internal(set) var clients: [ClientState] = []
  public var violations = ViolationLog()
  /// When the run ended by its own will; what ends later was cut off.
  public internal(set) var runEnded: Instant?

  /// Fingerprints of the values of the message that is being judged.
  private var fingerprints: [(range: ByteRange, hash: UInt64)] = []
  private static let fingerprintCapacity = 4

  init(_ options: JudgeOptions) {
    self.options = options
    windows = FaultWindows(options)
  }

  /// What is known of a connection, by place.
  public struct ConnectionState: Sendable {
    public var id: ConnectionID
    public var client: ClientID?
    public var clientIndex: Int
    public var accepted: Instant
    /// The client's side, and the server's.
    public var near = ConnectionView()
    public var far = ConnectionView()
    var isUpstream = false
    var isLive = true
    var tail = FrameTail()
    /// Only kept where the catalogue asks for it.
    var silence = Quiet()
  }

  /// What is known of a client, by place.
  public struct ClientState: Sendable {
    public var id: ClientID
    /// How often a connection of it opened.
    public var openings = 0
    /// Its intentions are known.
    public var speaks = false
    /// It was told to stop, or closes by itself.
    public var isStopped = false
    /// Hashes of the subscriptions it wants, where it speaks.
    public var wants: [UInt64] = []
  }

  /// Tells a value of the present message from others; worked out once, whoever asks.
  mutating func fingerprint(of message: WireMessage, _ range: ByteRange) -> UInt64 {
    if let known = fingerprints.first(where: { $0.range == range }) { return known.hash }
    let hash = Fingerprint.of(message.payload, range)
    if fingerprints.count < Self.fingerprintCapacity { fingerprints.append((range, hash)) }
    return hash
  }

  /// Another message is judged from here on.
  @inline(__always)
  mutating func forgetFingerprints() {
    if !fingerprints.isEmpty { fingerprints.removeAll(keepingCapacity: true) }
  }

  /// The place of the connection with this index.
  func place(_ index: Int) -> Place {
    Place(connection: index, client: connections[index].clientIndex, owner: connections[index].id)
  }

  /// Evidence for something that happened at `place`, with the last frames of its connection.
  func evidence(_ text: String, at time: Instant, _ place: Place, severity: Double) -> Evidence {
    let connection = place.hasConnection ? connections[place.connection] : nil
    let client = connection?.client ?? (place.hasClient ? clients[place.client].id : nil)
    return Evidence(
      client: client, connection: connection?.id, time: time, text: text, severity: severity,
      frames: connection?.tail.excerpts ?? [])
  }
}
