import Core
import Protocols

/// Which subscription shows a call's effect: the one on `path` whose arguments are those of the call with the same keys.
struct SeenBy: Hashable, Sendable {
  /// Hash of a subscription's path, up to where its arguments begin.
  private let head: UInt64
  /// Positions among the call's arguments.
  private let members: [Int]

  /// Nil if the call lacks one of the subscription's arguments.
  init?(path: String, keys: [String], of call: ArgumentsTemplate) {
    var members: [Int] = []
    for key in keys {
      guard let place = call.members.firstIndex(where: { $0.key == key }) else { return nil }
      members.append(place)
    }
    self.members = members
    head = Self.extend(StableHash.of(path.utf8), [0x20])
  }

  /// The hash of the `SubscriptionKey` for these rendered arguments.
  func key(_ template: ArgumentsTemplate, _ bytes: [UInt8], _ spans: [Range<Int>]) -> UInt64 {
    var hash = Self.extend(head, [0x7B])
    for (index, member) in members.enumerated() {
      if index > 0 { hash = Self.extend(hash, [0x2C]) }
      hash = Self.extend(hash, template.members[member].head)
      hash = Self.extend(hash, bytes[spans[member]])
    }
    return Self.extend(hash, [0x7D])
  }

  private static func extend(_ hash: UInt64, _ bytes: some Sequence<UInt8>) -> UInt64 {
    StableHash.of(bytes, seed: hash)
  }
}
