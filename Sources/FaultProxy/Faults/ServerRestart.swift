import Core
import JSON
import WebSocket

/// `serverRestart`: every connection ends, new ones are turned away for a while, then all is as before.
public struct ServerRestart: Fault {
  public static let kind = "serverRestart"
  public static let summary = "every connection ends and new ones are turned away until the fault ends"
  public static let beginsPerConnection = false

  /// How the open connections end.
  public var end: ConnectionEnd
  /// How new ones are turned away meanwhile.
  public var refusal: Refuse

  public init(end: ConnectionEnd = .reset, refusal: Refuse = Refuse(how: .closed)) {
    self.end = end
    self.refusal = refusal
  }

  public init?(_ options: SectionDecoder) {
    let end: ConnectionEnd? = options.choice("ends")
    var refusal = Refuse(options)
    if !options.has("how") { refusal?.how = .closed }
    guard let refusal else { return nil }
    self.init(end: end ?? .reset, refusal: refusal)
  }

  public func check(_ entry: FaultEntry, _ options: SectionDecoder) {
    if entry.trigger.length == nil, !options.has("for") {
      options.mistake("fault", "a server that restarts comes back", expected: "a \"for\" beside it")
    }
    if options.has("how") { refusal.check(entry, options) }
  }

  public func judgedAs(_ entry: FaultEntry) -> String { "\(Self.kind):\(refusal.visibleHow(entry.target).rawValue)" }

  public var hooks: FaultHooks {
    end == .closeFrame ? [.connections, .accept, .boundaries] : [.connections, .accept]
  }

  public func started(_ proxy: any FaultedProxy, _ scope: FaultScope) { refusal.started(proxy, scope) }
  public func ended(_ proxy: any FaultedProxy, _ scope: FaultScope) { refusal.ended(proxy, scope) }
  public func accept(_ scope: FaultScope) -> AcceptDecision { refusal.accept(scope) }

  public func apply(to connection: any FaultedConnection, _ scope: FaultScope) {
    end.apply(to: connection, scope.entry, code: CloseCode.serviceRestart)
  }
}
