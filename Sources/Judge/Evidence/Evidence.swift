import Core

/// What was seen when a clause was broken, fit for a report: no token, nothing long.
public struct Evidence: Hashable, Sendable, Comparable {
  public var client: ClientID?
  public var connection: ConnectionID?
  public var time: Instant
  /// One sentence: what happened, and what was expected.
  public var text: String
  /// How bad it is among violations of the same clause; 0 where they are all alike.
  public var severity: Double
  /// The connection's last frames until then, and the next ones, redacted and cut.
  public var frames: [FrameExcerpt]

  public init(
    client: ClientID? = nil, connection: ConnectionID? = nil, time: Instant, text: String, severity: Double = 0,
    frames: [FrameExcerpt] = []
  ) {
    self.client = client
    self.connection = connection
    self.time = time
    self.text = text
    self.severity = severity
    self.frames = frames
  }

  /// Worse is greater; of the equally bad the earliest is the greatest, so that a report names the first.
  public static func < (a: Evidence, b: Evidence) -> Bool {
    if a.severity != b.severity { return a.severity < b.severity }
    if a.time != b.time { return a.time > b.time }
    let (one, two) = (a.connection?.rawValue ?? .max, b.connection?.rawValue ?? .max)
    return one != two ? one > two : a.text > b.text
  }
}

/// One data message in evidence.
public struct FrameExcerpt: Hashable, Sendable {
  public var time: Instant
  public var direction: Direction
  /// The beginning of the payload as text, tokens taken out.
  public var text: String
  /// The payload's whole length in bytes.
  public var length: Int

  public init(time: Instant, direction: Direction, text: String, length: Int) {
    self.time = time
    self.direction = direction
    self.text = text
    self.length = length
  }
}
