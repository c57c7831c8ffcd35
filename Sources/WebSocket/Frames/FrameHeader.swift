/// The header of a frame: everything before its payload (RFC 6455 §5.2).
public struct FrameHeader: Hashable, Sendable {
  /// The longest header, in bytes.
  public static let maxLength = 14

  public var fin: Bool
  /// The three reserved bits, RSV1 the highest: 0 to 7.
  public var rsv: UInt8
  public var opcode: Opcode
  /// The masking key as on the wire, its first byte in the lowest bits; nil for an unmasked frame.
  public var mask: UInt32?
  /// In bytes, below 2^63.
  public var payloadLength: UInt64

  public init(fin: Bool = true, rsv: UInt8 = 0, opcode: Opcode, mask: UInt32? = nil, payloadLength: UInt64) {
    self.fin = fin
    self.rsv = rsv
    self.opcode = opcode
    self.mask = mask
    self.payloadLength = payloadLength
  }

  /// How many bytes the header takes on the wire: 2 to 14.
  public var headerLength: Int {
    2 + (payloadLength < 126 ? 0 : payloadLength <= 0xFFFF ? 2 : 8) + (mask == nil ? 0 : 4)
  }

  /// What the bytes at hand say.
  public enum Parsed: Hashable, Sendable {
    /// Nothing wrong so far, and not the whole header.
    case needMore
    case header(FrameHeader)
    /// Not a header that RFC 6455 allows; why.
    case invalid(String)
  }

  /// Reads the header at the start of `bytes`, and tells what is invalid as soon as the bytes show it.
  /// - Parameter allowedReservedBits: those that an extension has given a meaning (4 is RSV1).
  public static func parse(_ bytes: UnsafeRawBufferPointer, allowedReservedBits: UInt8 = 0) -> Parsed {
    guard let first = bytes.first else { return .needMore }
    let fin = first & 0x80 != 0
    let rsv = first >> 4 & 7
    if rsv & ~allowedReservedBits != 0 { return .invalid("reserved bits \(rsv), expected none without an extension") }
    guard let opcode = Opcode(rawValue: first & 15) else { return .invalid("reserved opcode \(first & 15)") }
    if opcode.isControl && !fin { return .invalid("fragmented \(opcode) frame, expected FIN on control frames") }
    guard bytes.count >= 2 else { return .needMore }
    let masked = bytes[1] & 0x80 != 0
    let short = bytes[1] & 0x7F
    if opcode.isControl && short > 125 { return .invalid("\(opcode) frame of more than 125 bytes") }

    var offset = 2
    var length = UInt64(short)
    if short == 126 {
      guard bytes.count >= 4 else { return .needMore }
      length = UInt64(bytes[2]) << 8 | UInt64(bytes[3])
      if length < 126 { return .invalid("length \(length) in 16 bits, expected the shortest form") }
      offset = 4
    } else if short == 127 {
      if bytes.count >= 3 && bytes[2] & 0x80 != 0 { return .invalid("length with its highest bit set") }
      guard bytes.count >= 10 else { return .needMore }
      length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
      if length <= 0xFFFF { return .invalid("length \(length) in 64 bits, expected the shortest form") }
      offset = 10
    }
    var mask: UInt32?
    if masked {
      guard bytes.count >= offset + 4 else { return .needMore }
      mask = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    return .header(FrameHeader(fin: fin, rsv: rsv, opcode: opcode, mask: mask, payloadLength: length))
  }

  /// Appends the header's bytes.
  public func write(into out: inout [UInt8]) {
    out.append((fin ? 0x80 : 0) | (rsv & 7) << 4 | opcode.rawValue)
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    if payloadLength < 126 {
      out.append(maskBit | UInt8(truncatingIfNeeded: payloadLength))
    } else if payloadLength <= 0xFFFF {
      out.append(maskBit | 126)
      out.append(UInt8(truncatingIfNeeded: payloadLength >> 8))
      out.append(UInt8(truncatingIfNeeded: payloadLength))
    } else {
      out.append(maskBit | 127)
      withUnsafeBytes(of: payloadLength.bigEndian) { out.append(contentsOf: $0) }
    }
    if let mask { withUnsafeBytes(of: mask.littleEndian) { out.append(contentsOf: $0) } }
  }
}
