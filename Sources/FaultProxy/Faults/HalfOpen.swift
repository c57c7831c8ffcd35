import JSON

/// `halfOpen`: the server's side of a connection is gone and the client's stays open, with nobody behind it.
public struct HalfOpen: Fault {
  public static let kind = "halfOpen"
  public static let summary = "an RST to the server alone; the client's connection stays open and silent until the end"

  public init() {}
  public init?(_ options: SectionDecoder) {}

  public var hooks: FaultHooks { .connections }

  public func apply(to connection: any FaultedConnection, _ scope: FaultScope) {
    connection.cutUpstream(by: scope.entry)
  }
}
