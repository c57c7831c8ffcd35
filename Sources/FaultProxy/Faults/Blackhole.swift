import Core
import JSON

/// `blackhole`: nothing gets through, and nothing is lost; what was held goes on in order when the fault ends.
public struct Blackhole: Fault {
  public static let kind = "blackhole"
  public static let summary = "bytes are held, up to a cap, and released in order at the end"
  public static let defaultDirection: FaultDirection? = .both

  public init() {}
  public init?(_ options: SectionDecoder) {
    // "discarded" comes later; written out, so that a scenario can say what it means today.
    _ = options.string("how", oneOf: ["held"])
  }

  public var hooks: FaultHooks { .bytes }

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage() }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    override func schedule(_ count: Int, arrival: Instant) -> Slot { Slot(due: .distantFuture) }
  }
}
