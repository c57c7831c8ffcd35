import Core
import JSON

/// `partition`: the clients it hits are cut off from the server, the ones connected and the ones that come.
public struct Partition: Fault {
  public static let kind = "partition"
  public static let summary =
    "the clients it hits are cut off: their connections fall silent and new ones hang, or all are reset"
  public static let beginsPerConnection = false

  public enum How: String, CaseIterable, Hashable, Sendable {
    /// Packets get lost: bytes are held both ways and new connections hang, until the fault ends.
    case silent
    /// A router answers: open connections are reset and new ones too.
    case reset
  }

  public var how: How

  public init(how: How = .silent) { self.how = how }

  public init?(_ options: SectionDecoder) {
    let how: How? = options.choice("how")
    self.init(how: how ?? .silent)
  }

  public func judgedAs(_ entry: FaultEntry) -> String { "\(Self.kind):\(how.rawValue)" }

  public var hooks: FaultHooks { how == .silent ? [.bytes, .accept] : [.connections, .accept] }

  public func accept(_ scope: FaultScope) -> AcceptDecision { how == .silent ? .hang : .reset }
  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Blackhole.HoldingStage() }
  public func apply(to connection: any FaultedConnection, _ scope: FaultScope) { connection.reset(by: scope.entry) }
}
