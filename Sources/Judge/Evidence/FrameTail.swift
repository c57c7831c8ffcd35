import Core

/// The beginnings of a connection's last few data messages, in one buffer that is made once.
struct FrameTail: Sendable {
  static let frames = 3
  static let bytesPerFrame = 160

  private struct Head {
    var time: Instant
    var direction: Direction
    var kept: UInt8
    var length: UInt32
  }

  private var heads: [Head] = []
  private var bytes: [UInt8] = []
  private var next = 0

  /// Keeps the beginning of a message. A credential that the scan named is taken out before it is kept.
  mutating func keep(_ message: WireMessage, at time: Instant, _ direction: Direction) {
    if bytes.isEmpty {
      bytes = [UInt8](repeating: 0, count: Self.frames * Self.bytesPerFrame)
      heads.reserveCapacity(Self.frames)
    }
    let kept: Int
    if message.facts.flags.contains(.hasToken), message.facts.kind.rawValue == 16,
      let credential = message.facts.credential
    {
      let safe = Self.without(credential, message.payload)
      kept = copy(safe)
    } else {
      kept = copy(message.payload)
    }
    let head = Head(
      time: time, direction: direction, kept: UInt8(kept), length: UInt32(truncatingIfNeeded: message.payload.count))
    if heads.count < Self.frames { heads.append(head) } else { heads[next] = head }
    next = (next + 1) % Self.frames
  }

  @inline(__always)
  private mutating func copy(_ payload: [UInt8]) -> Int {
    let kept = min(payload.count, Self.bytesPerFrame)
    let offset = next * Self.bytesPerFrame
    bytes.withUnsafeMutableBytes { target in
      payload.withUnsafeBytes { source in
        UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + kept])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<kept]))
      }
    }
    return kept
  }

  private static func without(_ credential: ByteRange, _ payload: [UInt8]) -> [UInt8] {
    guard Int(credential.upper) <= payload.count else { return [] }
    return Array(payload[..<Int(credential.lower)] + "\"\(Redaction.mark)\"".utf8 + payload[Int(credential.upper)...])
  }

  /// What is kept, oldest first.
  var excerpts: [FrameExcerpt] {
    (0..<heads.count).map { index in
      let slot = heads.count < Self.frames ? index : (next + index) % Self.frames
      let head = heads[slot]
      let start = slot * Self.bytesPerFrame
      return FrameExcerpt(
        time: head.time, direction: head.direction,
        text: Redaction.text(bytes[start..<start + Int(head.kept)]), length: Int(head.length))
    }
  }

  /// Forgets everything, but keeps the buffer for the next connection.
  mutating func clear() {
    heads.removeAll(keepingCapacity: true)
    next = 0
  }
}
