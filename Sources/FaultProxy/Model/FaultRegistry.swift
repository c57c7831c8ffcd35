import JSON

/// All faults there are: a new one is added to this list and nowhere else.
public enum FaultRegistry {
  public static let definitions: [FaultDefinition] = [
    // Bytes
    FaultDefinition(Latency.self),
    FaultDefinition(Bandwidth.self),
    FaultDefinition(Slice.self),
    FaultDefinition(Limit.self),
    FaultDefinition(Blackhole.self),
    FaultDefinition(Stall.self),
    FaultDefinition(Corrupt.self),
    // Connections
    FaultDefinition(Reset.self),
    FaultDefinition(Close.self),
    FaultDefinition(CloseFrame.self),
    FaultDefinition(HalfOpen.self),
    FaultDefinition(Refuse.self),
    FaultDefinition(SlowHandshake.self),
    FaultDefinition(FailFirst.self),
    FaultDefinition(Lifetime.self),
    FaultDefinition(ServerRestart.self),
    FaultDefinition(Partition.self),
    // Frames and messages
    FaultDefinition(DeadHeartbeat.self),
    FaultDefinition(DropMessage.self),
    FaultDefinition(DelayMessage.self),
    FaultDefinition(DuplicateMessage.self),
    FaultDefinition(ReorderMessages.self),
    FaultDefinition(EditMessage.self),
  ]

  /// The definition of a fault by its name in scenarios.
  public static func definition(of kind: String) -> FaultDefinition? { definitions.first { $0.kind == kind } }

  /// Decodes the key `fault`; nil where it is absent or unknown (and reported).
  static func decodeKind(_ options: SectionDecoder) -> FaultDefinition? {
    options.string("fault", oneOf: definitions.map(\.kind), required: true).flatMap(definition(of:))
  }
}

/// What the registry knows of one kind of fault.
public struct FaultDefinition: Sendable {
  public let kind: String
  /// One sentence on what happens on the wire.
  public let summary: String
  /// Nil: it knows no direction.
  public let defaultDirection: FaultDirection?
  public let isMoment: Bool
  /// Whether it takes `afterConnect` and `onMessage`.
  public let beginsPerConnection: Bool
  let decode: @Sendable (SectionDecoder) -> (any Fault)?

  init<F: Fault>(_ type: F.Type) {
    kind = F.kind
    summary = F.summary
    defaultDirection = F.defaultDirection
    isMoment = F.isMoment
    beginsPerConnection = F.beginsPerConnection
    decode = { F($0) }
  }
}
