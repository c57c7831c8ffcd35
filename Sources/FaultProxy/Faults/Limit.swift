import Core
import JSON

/// `limit`: the connection ends when so many bytes have passed.
public struct Limit: Fault {
  public static let kind = "limit"
  public static let summary = "the connection ends behind the `bytes`th byte of a direction"
  public static let defaultDirection: FaultDirection? = .both
  public static let most = 1_000_000_000_000

  public enum How: String, CaseIterable, Hashable, Sendable {
    /// A FIN both ways.
    case close
    /// An RST both ways.
    case reset
  }

  /// Counted per connection and direction, from when the fault begins.
  public var bytes: Int
  public var how: How

  public init(bytes: Int, how: How = .close) {
    self.bytes = bytes
    self.how = how
  }

  public init?(_ options: SectionDecoder) {
    let how: How? = options.choice("how")
    guard let bytes = options.size("bytes", in: 1...Self.most, required: true) else { return nil }
    self.init(bytes: bytes, how: how ?? .close)
  }

  public var hooks: FaultHooks { .bytes }

  public func stage(_ scope: FaultScope, _ direction: Direction) -> ByteStage? { Stage(self) }

  /// @unchecked: confined to its connection's loop.
  private final class Stage: ByteStage, @unchecked Sendable {
    private var left: Int
    private let end: Ending.How

    init(_ options: Limit) {
      left = options.bytes
      end = options.how == .close ? .fin : .reset
    }

    override func schedule(_ count: Int, arrival: Instant) -> Slot {
      let passed = min(count, left)
      left -= passed
      return Slot(bytes: max(1, passed), due: arrival, ends: left == 0 ? end : nil)
    }
  }
}
