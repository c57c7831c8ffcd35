import Protocols

/// How an embedded palbase server behaves: timings, limits, channels, keys. Defaults are the protocol's.
public struct PalbaseServerOptions: Hashable, Sendable {
  /// The WebSocket's path.
  public var path = "/v1/realtime/websocket"
  /// What the paths of the server-side calls begin with: `PUT /realtime/channels` and so on.
  public var adminPath = "/realtime"
  /// The project's name, as in `flags:<ref>`.
  public var projectRef = "obload"
  /// What server-side calls are made with, in `Authorization: Bearer` or `apikey`.
  public var secretKey = "obload-secret"
  /// A connection that sent nothing for so long is closed; nil for never.
  public var silenceTimeout: Duration? = .seconds(60)
  /// Whether the project's realtime quota is used up from the start, or from an instant after the start on: sockets
  /// are refused.
  public var isQuotaUsedUp = false
  public var quotaUsedUpAt: Duration?
  /// When the server stops reading, answering and accepting, counted from the first `start`; nil for never.
  public var freezeAt: Duration?
  /// How long it does, before it catches up.
  public var freezeFor: Duration = .zero
  /// Known tokens, beside the conventions of `TokenBook`.
  public var tokens: [String: OnebaseIdentity] = [:]
  public var tokenConventions = true
  /// What is declared from the start.
  public var channels = PalbaseServerOptions.defaultChannels
  /// What the platform allows.
  public var limits = PalbaseLimits()
  /// One message of a client, or one HTTP body, in bytes; a longer one ends the connection (1009) or gets a 413.
  public var messageBytes = 1024 * 1024
  /// The states of all channels together, in bytes; what would go beyond is refused.
  public var totalStateBytes = 64 * 1024 * 1024
  /// The names of events.
  public var wire = PalbaseWire()

  public init() {}

  /// `room:{id}`, public with every right, and `user:{uid}`, its user's own.
  public static let defaultChannels: [ChannelDeclaration] = [
    ChannelDeclaration.make("room:{id}", .public), ChannelDeclaration.make("user:{uid}", .owner),
  ].compactMap { try? $0.get() }
}
