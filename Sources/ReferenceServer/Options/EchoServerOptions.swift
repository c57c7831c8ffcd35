import Core
import JSON

/// What an echo server does beside echoing.
public struct EchoServerOptions: Hashable, Sendable {
  /// A connection without a frame in either direction for so long is closed with code 1000; nil for never.
  public var idleTimeout: Duration?
  /// When the server stops reading, answering and accepting, counted from its start (or `EchoServer.begin`); nil for
  /// never.
  public var freezeAt: Duration?
  /// How long it does, before it catches up.
  public var freezeFor: Duration = .zero
  /// The largest message, in bytes; a longer one ends the connection (1009).
  public var messageBytes = 1024 * 1024

  public init() {}

  /// Reads the `embedded: { … }` section of a scenario whose protocol is echo.
  public static func decode(_ embedded: LocatedValue, _ diagnostics: Diagnostics) -> EchoServerOptions {
    let section = SectionDecoder(embedded, what: "an embedded echo server", diagnostics: diagnostics)
    var options = EchoServerOptions()
    options.idleTimeout = section.duration("idleTimeout", in: .milliseconds(10)...SectionDecoder.longest)
    options.freezeAt = section.duration("freezeAt")
    options.freezeFor = section.duration("freezeFor") ?? .zero
    if section.has("freezeAt") != section.has("freezeFor") {
      let present = section.has("freezeAt") ? "freezeAt" : "freezeFor"
      section.mistake(present, "`\(present)` stands alone", expected: "freezeAt and freezeFor together")
    }
    options.messageBytes = section.size("messageBytes", in: 1...(64 * 1024 * 1024)) ?? options.messageBytes
    section.finish()
    return options
  }
}
