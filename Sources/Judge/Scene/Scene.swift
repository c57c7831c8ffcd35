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
