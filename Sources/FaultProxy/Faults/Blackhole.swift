import Core
import JSON

/// `blackhole`: nothing gets through. What comes is held and goes on in order when the fault ends, or it is thrown away and
/// the connection is reset then.
public struct Blackhole: Fault {
  public static let kind = "blackhole"
  public static let summary =
    "bytes are held, up to a cap, and released in order at the end; or thrown away, and a reset ends it"
  public static let defaultDirection: FaultDirection? = .both

  public enum Mode: String, CaseIterable, Hashable, Sendable {
    /// Nothing is lost.
    case held
    /// All is read and thrown away.
    case discarded
  }

  public var mode: Mode

  public init(mode: Mode = .held) { self.mode = mode }

  public init?(_ options: SectionDecoder) {
    let mode: Mode? = options.choice("mode")
    self.init(mode: mode ?? .held)
  }

  public func judgedAs(_ entry: FaultEntry) -> String { "\(Self.kind):\(mode.rawValue)" }

  public var hooks: FaultHooks { .bytes }

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? {
    mode == .held ? HoldingStage() : DiscardingStage()
  }

  /// @unchecked: confined to its connection's loop.
  final class HoldingStage: ByteStage, @unchecked Sendable {
    override func schedule(_ count: Int, arrival: Instant) -> Slot { Slot(due: .distantFuture) }
  }

  /// @unchecked: confined to its connection's loop.
  private final class DiscardingStage: ByteStage, @unchecked Sendable {
    // An end is as silent as everything else.
    override func schedule(_ count: Int, arrival: Instant) -> Slot { count == 0 ? Slot(due: .distantFuture) : .discard }
  }
}
