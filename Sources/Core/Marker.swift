import Glibc

/// What a simulated client writes into a mutation so that its effect can be found again anywhere:
/// who sent it, the how-manieth it was, and when it was meant to be sent.
///
/// As text: `ob~RUN~CLIENT~SEQUENCE~NANOSECONDS~`, hexadecimal, of letters that need no escape in JSON or in a URL.
public struct Marker: Hashable, Sendable, CustomStringConvertible {
  /// Tells one run's markers from another's on a server that keeps its data.
  public var run: UInt32
  public var client: ClientID
  public var sequence: UInt32
  /// The intended send, since the run's epoch.
  public var sent: Instant

  public init(run: UInt32, client: ClientID, sequence: UInt32, sent: Instant) {
    self.run = run
    self.client = client
    self.sequence = sequence
    self.sent = sent
  }

  public var description: String {
    let fields = [UInt64(run), UInt64(client.number), UInt64(sequence), UInt64(bitPattern: sent.nanoseconds)]
    return "ob" + fields.map { "~" + String($0, radix: 16) }.joined() + "~"
  }

  /// One number per (client, sequence): what tables of seen markers are keyed by.
  @inlinable public var key: UInt64 { UInt64(client.number) << 32 | UInt64(sequence) }

  /// Calls `body` for every marker in `bytes`, in order, whatever surrounds it; stops when `body` answers false.
  public static func forEach(in bytes: UnsafeRawBufferPointer, _ body: (Marker) -> Bool) {
    guard let base = bytes.baseAddress else { return }
    var offset = 0
    while let start = MarkerScan.find(base, from: offset, count: bytes.count) {
      offset = start
      if let marker = MarkerScan.parse(bytes, at: &offset), !body(marker) { return }
    }
  }

  /// The first marker in `bytes`.
  public static func first(in bytes: [UInt8]) -> Marker? {
    var found: Marker?
    bytes.withUnsafeBytes {
      forEach(in: $0) {
        found = $0; return false
      }
    }
    return found
  }

  /// Every marker in `bytes`, in order.
  public static func all(in bytes: [UInt8]) -> [Marker] {
    var found: [Marker] = []
    bytes.withUnsafeBytes {
      forEach(in: $0) {
        found.append($0); return true
      }
    }
    return found
  }
}

enum MarkerScan {
  /// The offset just past the next `ob~`, or nil.
  static func find(_ base: UnsafeRawPointer, from start: Int, count: Int) -> Int? {
    var offset = start
    // '~' is rare in JSON text, so memchr for it skips at the speed of memory.
    while offset < count, let hit = memchr(base + offset, 0x7E, count - offset) {
      let at = UnsafeRawPointer(hit) - base
      offset = at + 1
      if at >= 2, base.load(fromByteOffset: at - 1, as: UInt8.self) == 0x62,
        base.load(fromByteOffset: at - 2, as: UInt8.self) == 0x6F
      {
        return offset
      }
    }
    return nil
  }

  /// Parses `RUN~CLIENT~SEQUENCE~NANOSECONDS~` from `offset`, which ends past what was read.
  static func parse(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Marker? {
    guard let run = hex(bytes, at: &offset, max: UInt64(UInt32.max)),
      let client = hex(bytes, at: &offset, max: UInt64(UInt32.max)),
      let sequence = hex(bytes, at: &offset, max: UInt64(UInt32.max)),
      let sent = hex(bytes, at: &offset, max: .max)
    else { return nil }
    return Marker(
      run: UInt32(run), client: ClientID(UInt32(client)), sequence: UInt32(sequence),
      sent: Instant(nanoseconds: Int64(bitPattern: sent)))
  }

  private static func hex(_ bytes: UnsafeRawBufferPointer, at offset: inout Int, max: UInt64) -> UInt64? {
    var value: UInt64 = 0
    var digits = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      let digit: UInt64
      switch byte {
      case 0x30...0x39: digit = UInt64(byte - 0x30)
      case 0x61...0x66: digit = UInt64(byte - 0x61 + 10)
      case 0x7E:
        guard digits > 0, value <= max else { return nil }
        offset += 1
        return value
      default: return nil
      }
      digits += 1
      guard digits <= 16 else { return nil }
      value = value << 4 | digit
      offset += 1
    }
    return nil
  }
}
