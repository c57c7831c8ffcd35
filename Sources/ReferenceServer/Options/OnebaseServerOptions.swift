/// How an embedded onebase server behaves: timings, tokens, limits and deliberate mistakes. Defaults are the protocol's.
public struct OnebaseServerOptions: Hashable, Sendable {
  /// The WebSocket's path. Calls over HTTP are at `/api/query`, `/api/mutation` and `/api/action`.
  public var path = "/api/sync"
  /// A connection without a frame in either direction for so long is closed with code 1000; nil for never.
  public var idleTimeout: Duration? = .seconds(120)
  /// How long a message waits at the server before it is processed. Order is kept; pings are answered at once.
  public var delay: Duration = .zero
  /// When the server stops reading, answering and accepting, counted from its start (or `OnebaseServer.begin`); nil for
  /// never.
  public var freezeAt: Duration?
  /// How long it does, before it catches up.
  public var freezeFor: Duration = .zero
  /// When `late:greet` is deployed, counted from its start (or `OnebaseServer.begin`); nil for only on request.
  public var deployAt: Duration?
  /// Whether clients see the text of errors that are no ConvexError, instead of "Server Error".
  public var devMode = false
  /// Known tokens, beside the conventions below.
  public var tokens: [String: OnebaseIdentity] = [:]
  /// Whether `ok-…`, `flaky-…-…` and `ended-…` tokens mean what they say (see `TokenBook`).
  public var tokenConventions = true
  /// What the server does wrong on purpose.
  public var misbehave: Set<Misbehaviour> = []
  public var limits = Limits()

  /// What one peer, and all of them together, may cost. Sizes are bytes.
  public struct Limits: Hashable, Sendable {
    /// Notes kept per room; the oldest go first, and `notes:scan` counts them as `dropped`. 1 and up.
    public var notesPerRoom = 20_000
    /// All notes together; beyond it the oldest of the room that is written to go.
    public var storedBytes = 64 * 1024 * 1024
    /// The text of one note.
    public var noteBytes = 16 * 1024
    /// Rooms, and counters, that may come to be.
    public var rooms = 20_000
    /// Live subscriptions of one connection.
    public var subscriptions = 1000
    /// The arguments of one subscription or call.
    public var argumentBytes = 64 * 1024
    /// One message of a client, or one HTTP body; a longer one ends the connection (1009) or is answered with 413.
    public var messageBytes = 1024 * 1024
    /// Messages that wait for `delay` to pass; the sender of one more is closed (1013).
    public var delayedMessages = 100_000
    public init() {}
  }

  public init() {}
}
