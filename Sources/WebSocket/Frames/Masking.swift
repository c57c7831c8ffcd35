/// XOR with a masking key (RFC 6455 §5.3), eight bytes at a time. Masking and unmasking are the same.
public enum Masking {
  /// Masks `buffer` in place.
  /// - Parameters:
  ///   - key: as in `FrameHeader.mask`.
  ///   - offset: where in the frame's payload the buffer begins, in bytes.
  public static func apply(_ buffer: UnsafeMutableRawBufferPointer, key: UInt32, offset: UInt64 = 0) {
    guard let base = buffer.baseAddress else { return }
    copy(from: UnsafeRawPointer(base), to: base, count: buffer.count, key: key, offset: offset)
  }

  /// Copies `source` to the start of `target`, masked: one pass instead of two. `target` must be as long.
  public static func copy(
    _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, key: UInt32, offset: UInt64 = 0
  ) {
    let count = min(source.count, target.count)
    guard count > 0, let from = source.baseAddress, let to = target.baseAddress else { return }
    copy(from: from, to: to, count: count, key: key, offset: offset)
  }

  /// `from` and `to` are the same or do not overlap.
  private static func copy(
    from: UnsafeRawPointer, to: UnsafeMutableRawPointer, count: Int, key: UInt32, offset: UInt64
  ) {
    let turn = UInt32(truncatingIfNeeded: offset & 3) * 8
    let key = turn == 0 ? key : key >> turn | key << (32 - turn)
    let wide = (UInt64(key) << 32 | UInt64(key)).littleEndian
    var index = 0
    while index &+ 8 <= count {
      let word = from.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ wide
      to.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    var rest = key
    while index < count {
      let byte = from.load(fromByteOffset: index, as: UInt8.self) ^ UInt8(truncatingIfNeeded: rest)
      to.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      rest >>= 8
      // Fewer than eight bytes are left: the key comes round once.
      if index & 3 == 3 { rest = key }
      index &+= 1
    }
  }
}
