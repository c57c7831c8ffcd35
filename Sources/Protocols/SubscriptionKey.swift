import Core
import JSON

/// What a subscription is a subscription to: a function's path and its arguments, the same however they are written.
public struct SubscriptionKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var path: String
  /// Canonical JSON of the arguments: members sorted, no space.
  public var arguments: String

  /// `arguments` must be canonical already.
  public init(path: String, arguments: String) {
    self.path = path
    self.arguments = arguments
  }

  public init(path: String, arguments: JSONValue) {
    self.path = path
    self.arguments = String(decoding: arguments.canonical(), as: UTF8.self)
  }

  /// The key of a `sub` message; nil for other messages, and where its arguments are no valid JSON.
  public init?(_ message: WireMessage) {
    guard message.facts.kind == .onebaseSubscribe, let path = JSONText.string(of: message.bytes(message.facts.path))
    else { return nil }
    self.path = path
    guard let range = message.facts.arguments else {
      arguments = "{}"
      return
    }
    guard let value = JSONText.value(of: message.payload[range.range]) else { return nil }
    arguments = String(decoding: value.canonical(), as: UTF8.self)
  }

  /// The same in every process and every run.
  public var hash: UInt64 {
    let head = StableHash.of(path.utf8)
    return StableHash.of(arguments.utf8, seed: (head ^ 0x20) &* 0x100_0000_01B3)
  }

  /// Path and arguments as one text, as in `notes:list {"room":1}`.
  public var description: String { "\(path) \(arguments)" }

  public static func < (a: SubscriptionKey, b: SubscriptionKey) -> Bool {
    (a.path, a.arguments) < (b.path, b.arguments)
  }
}
