import Core
import JSON

/// `stall`: the proxy stops reading, so that the writer's buffers fill and it feels backpressure.
public struct Stall: Fault {
  public static let kind = "stall"
  public static let summary = "nothing is read, so that the writer's buffers fill up; all of it goes on at the end"
  public static let defaultDirection: FaultDirection? = .both

  public init() {}
  public init?(_ options: SectionDecoder) {}

  public var hooks: FaultHooks { .bytes }

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage() }

  /// What was read before passes.
  ///
  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    override var stopsReading: Bool { true }
  }
}
