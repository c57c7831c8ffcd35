/// Writes whole frames.
public enum FrameWriter {
  /// The longest reason of a close frame, in bytes.
  public static let maxCloseReasonBytes = 123

  /// Appends a frame.
  /// - Parameters:
  ///   - payload: in clear; must not point into `out`.
  ///   - mask: the key a client masks with; nil from a server.
  public static func write(
    _ opcode: Opcode, fin: Bool = true, payload: UnsafeRawBufferPointer, mask: UInt32? = nil, into out: inout [UInt8]
  ) {
    FrameHeader(fin: fin, opcode: opcode, mask: mask, payloadLength: UInt64(payload.count)).write(into: &out)
    let start = out.count
    out.append(contentsOf: payload)
    if let mask, !payload.isEmpty {
      out.withUnsafeMutableBytes { Masking.apply(UnsafeMutableRawBufferPointer(rebasing: $0[start...]), key: mask) }
    }
  }

  /// Appends a frame.
  public static func write(
    _ opcode: Opcode, fin: Bool = true, payload: [UInt8], mask: UInt32? = nil, into out: inout [UInt8]
  ) {
    payload.withUnsafeBytes { write(opcode, fin: fin, payload: $0, mask: mask, into: &out) }
  }

  /// The payload of a close frame: empty without a code; the reason is cut to 123 bytes between characters.
  public static func closePayload(code: UInt16?, reason: String = "") -> [UInt8] {
    guard let code else { return [] }
    var payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
    var room = maxCloseReasonBytes
    for scalar in reason.unicodeScalars {
      let bytes = UTF8.encode(scalar).map(Array.init) ?? []
      guard bytes.count <= room else { break }
      room -= bytes.count
      payload += bytes
    }
    return payload
  }
}
