import JSON

/// `close`: a FIN without a close frame, as a process that exits sends it.
public struct Close: Fault {
  public static let kind = "close"
  public static let summary = "a FIN without a close frame, behind what is held"
  public static let defaultDirection: FaultDirection? = .both
  public static let isMoment = true

  public init() {}
  public init?(_ options: SectionDecoder) {}

  public var hooks: FaultHooks { .connections }

  public func apply(to connection: any FaultedConnection, _ scope: FaultScope) { connection.close(by: scope.entry) }
}
