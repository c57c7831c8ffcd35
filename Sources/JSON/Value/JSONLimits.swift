/// How much a reader takes on before it refuses: what a hostile peer or file may cost.
public struct JSONLimits: Hashable, Sendable {
  /// The deepest nesting of arrays and objects read: 128 means 128 brackets open at once. At most `deepest`.
  public var depth: Int
  /// The largest input read, in bytes.
  public var bytes: Int

  /// Readers recurse once per level, so deeper limits are cut to this one.
  public static let deepest = 512

  /// 128 levels, 16 MiB.
  public static let `default` = JSONLimits()

  public init(depth: Int = 128, bytes: Int = 16 * 1024 * 1024) {
    self.depth = min(max(depth, 0), Self.deepest)
    self.bytes = max(bytes, 0)
  }
}
