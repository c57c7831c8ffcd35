import Core
import Glibc
import JSON

/// A subscription's value as it came, held once for all clients of a loop that show it.
public final class SharedValue {
  /// The raw JSON.
  public let bytes: [UInt8]
  /// Keys of the markers in it, ascending.
  private let keys: [UInt64]
  /// Which of its subscription's values on this loop it is; 0 belongs to none.
  private let ordinal: UInt64
  private let predecessor: UInt64
  /// The markers that its predecessor did not have, in order.
  private let news: [Marker]
  /// Made when first asked for.
  private var hash: UInt64?

  init(_ bytes: [UInt8], ordinal: UInt64, after previous: SharedValue?) {
    self.bytes = bytes
    self.ordinal = ordinal
    predecessor = previous?.ordinal ?? 0
    let markers = Marker.all(in: bytes)
    keys = markers.map(\.key).sorted()
    news = previous.map { previous in markers.filter { !previous.contains($0) } } ?? markers
  }

  /// A value of its own; for tests.
  public convenience init(_ bytes: [UInt8]) { self.init(bytes, ordinal: 0, after: nil) }

  /// The markers that `old` does not have, in order: as a rule the one that was just added.
  public func markers(notIn old: SharedValue) -> [Marker] {
    if old === self { return [] }
    if old.ordinal == predecessor, old.ordinal != 0 { return news }
    return Marker.all(in: bytes).filter { !old.contains($0) }
  }

  /// Whether a marker is in it.
  public func contains(_ marker: Marker) -> Bool {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < marker.key { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == marker.key
  }

  /// Hash of the value's canonical text, so that values compare however they were written.
  public var canonicalHash: UInt64 {
    if let hash { return hash }
    let made = Self.canonicalHash(of: bytes)
    hash = made
    return made
  }

  /// The same of any raw JSON; of the bytes as they are where they are no JSON.
  public static func canonicalHash(of bytes: [UInt8]) -> UInt64 {
    guard let value = JSONText.value(of: bytes[...]) else { return StableHash.of(bytes) }
    return StableHash.of(value.canonical())
  }

  /// Whether the bytes are the same.
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == other.count else { return false }
    guard let theirs = other.baseAddress, other.count > 0 else { return true }
    return bytes.withUnsafeBytes { mine in mine.baseAddress.map { memcmp($0, theirs, other.count) == 0 } ?? true }
  }
}

/// The newest value of each subscription on a loop, so that a thousand subscribers hold and scan it once.
public final class ValueStore {
  private var newest: [UInt64: SharedValue] = [:]
  private var ordinal: UInt64 = 0

  public init() {}

  /// The value with these bytes for the subscription with this key: the newest one if it is the same.
  public func value(_ range: ByteRange, of payload: [UInt8], key: UInt64) -> SharedValue {
    let known = newest[key]
    return payload.withUnsafeBytes { payload in
      let bytes = UnsafeRawBufferPointer(rebasing: payload[range.range])
      if let known, known.equals(bytes) { return known }
      ordinal += 1
      let value = SharedValue([UInt8](bytes), ordinal: ordinal, after: known)
      newest[key] = value
      return value
    }
  }
}
