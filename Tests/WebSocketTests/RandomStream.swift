import Core

@testable import WebSocket

/// A valid stream of frames drawn from a seed, with what it means.
struct RandomStream {
  var bytes: [UInt8] = []
  var headers: [FrameHeader] = []
  var events: [WebSocketEvent] = []

  init(frames: Int, masked: Bool, using random: inout SeededRandom) {
    var open: (isText: Bool, text: [UInt8])?
    while headers.count < frames || open != nil {
      let isLast = headers.count >= frames
      switch random.integer(in: 0...9) {
      case 0 where !isLast, 1 where !isLast:
        let payload = Self.payload(upTo: 125, using: &random)
        let isPing = random.next() & 1 == 0
        write(isPing ? .ping : .pong, true, payload, masked, &random)
        events.append(isPing ? .ping(payload) : .pong(payload))
      default:
        let fin = isLast || random.next() % 3 != 0
        let isText = open?.isText ?? (random.next() & 1 == 0)
        // Mostly small, sometimes at the edges of the length forms.
        let largest: Int64 = random.integer(in: 0...9) == 0 ? 70_000 : 200
        let part = isText ? Self.text(using: &random) : Self.payload(upTo: largest, using: &random)
        let opcode: Opcode = open != nil ? .continuation : isText ? .text : .binary
        write(opcode, fin, part, masked, &random)
        let whole = (open?.text ?? []) + part
        open = fin ? nil : (isText, whole)
        if fin { events.append(.message(isText: isText, payload: whole)) }
      }
    }
  }

  private mutating func write(
    _ opcode: Opcode, _ fin: Bool, _ payload: [UInt8], _ masked: Bool, _ random: inout SeededRandom
  ) {
    let mask = masked ? UInt32(truncatingIfNeeded: random.next()) : nil
    FrameWriter.write(opcode, fin: fin, payload: payload, mask: mask, into: &bytes)
    headers.append(FrameHeader(fin: fin, opcode: opcode, mask: mask, payloadLength: UInt64(payload.count)))
  }

  private static func payload(upTo largest: Int64, using random: inout SeededRandom) -> [UInt8] {
    let first = UInt8(truncatingIfNeeded: random.next())
    return (0..<random.integer(in: 0...largest)).map { UInt8(truncatingIfNeeded: $0) &+ first }
  }

  private static func text(using random: inout SeededRandom) -> [UInt8] {
    let words = ["", "plain words ", "κόσμε ", "日本 ", "🌍"]
    return (0..<random.integer(in: 0...20)).flatMap { _ in Array(words[Int(random.integer(in: 0...4))].utf8) }
  }
}
