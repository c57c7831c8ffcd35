import JSON

/// `reset`: an RST to both sides of every open connection it hits, idle ones too.
public struct Reset: Fault {
  public static let kind = "reset"
  public static let summary = "an RST to both sides of each connection; what is held or unsent is lost"
  public static let isMoment = true

  public init() {}
  public init?(_ options: SectionDecoder) {}

  public var hooks: FaultHooks { .connections }

  public func apply(to connection: any FaultedConnection, _ scope: FaultScope) { connection.reset(by: scope.entry) }
}
