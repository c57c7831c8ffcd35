#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The payloads that came last on a loop: what a server sends to a thousand receivers is allocated, copied and checked
/// for UTF-8 once, and shared by all of them and by the proxy that passes it on.
///
/// @unchecked: confined to its loop.
public final class RecentPayloads: @unchecked Sendable {
  /// Sizes in bytes that are worth the look-up, and that may be held.
  public static let sizes = 128...65536
  /// How many are held; a power of two. Each has one place, given by its size and a few of its bytes.
  private static let places = 64

  private struct Entry {
    var payload: [UInt8] = []
    var isText = false
  }
  @exclusivity(unchecked) private var entries = [Entry](repeating: Entry(), count: RecentPayloads.places)

  public init() {}

  /// A payload with exactly these bytes that was kept as a message of the same kind.
  @inline(__always)
  func known(_ bytes: UnsafeRawBufferPointer, isText: Bool) -> [UInt8]? {
    guard Self.sizes.contains(bytes.count), let base = bytes.baseAddress else { return nil }
    let place = Self.place(base, bytes.count)
    guard entries[place].isText == isText, entries[place].payload.count == bytes.count else { return nil }
    let isSame = entries[place].payload.withUnsafeBytes { kept in
      kept.baseAddress.map { memcmp($0, base, bytes.count) == 0 } ?? false
    }
    return isSame ? entries[place].payload : nil
  }

  /// Remembers a payload that is valid for its kind.
  @inline(__always)
  func keep(_ payload: [UInt8], isText: Bool) {
    guard Self.sizes.contains(payload.count) else { return }
    let place = payload.withUnsafeBytes { bytes in bytes.baseAddress.map { Self.place($0, bytes.count) } }
    if let place { entries[place] = Entry(payload: payload, isText: isText) }
  }

  private static func place(_ base: UnsafeRawPointer, _ count: Int) -> Int {
    func word(_ offset: Int) -> UInt64 { base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    let mixed = (word(count >> 2) &+ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15 ^ word(count >> 1) ^ word(count - 8)
    return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 32) & (places - 1)
  }
}
