import Core

@testable import WebSocket

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// "81 05 48" as bytes.
func hex(_ text: String) -> [UInt8] { text.split(separator: " ").compactMap { UInt8($0, radix: 16) } }

func hexText(_ bytes: [UInt8]) -> String {
  bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// A frame as written by hand: what a peer may send, right or wrong.
func frame(
  _ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true, rsv: UInt8 = 0, mask: UInt32? = nil
) -> [UInt8] {
  var header = FrameHeader(
    fin: fin, rsv: rsv, opcode: .text, mask: mask, payloadLength: UInt64(payload.count))
  header.opcode = Opcode(rawValue: opcode) ?? .text
  var out: [UInt8] = []
  header.write(into: &out)
  out[0] = out[0] & 0xF0 | opcode
  guard let mask else { return out + payload }
  return out + payload.enumerated().map { $1 ^ UInt8(truncatingIfNeeded: mask >> UInt32(8 * ($0 % 4))) }
}

/// A fresh endpoint fed with `stream` in chunks of the given sizes (the rest in one): its events and replies.
func run(
  _ stream: [UInt8], cuts: [Int] = [], role: WebSocketMachine.Role = .client,
  limits: WebSocketLimits = WebSocketLimits()
) -> (events: [WebSocketEvent], replies: [UInt8], machine: WebSocketMachine) {
  var machine = WebSocketMachine(role: role, limits: limits)
  var events: [WebSocketEvent] = []
  var replies: [UInt8] = []
  for chunk in pieces(stream, cuts) {
    chunk.withUnsafeBytes { bytes in machine.receive(bytes, replies: &replies) { events.append($0) } }
  }
  return (events, replies, machine)
}

func pieces(_ stream: [UInt8], _ cuts: [Int]) -> [[UInt8]] {
  var result: [[UInt8]] = []
  var rest = stream[...]
  for size in cuts where !rest.isEmpty {
    result.append(Array(rest.prefix(size)))
    rest = rest.dropFirst(size)
  }
  if !rest.isEmpty || result.isEmpty { result.append(Array(rest)) }
  return result
}

/// Chunk sizes from 1 to `largest` that add up to at least `count`.
func randomCuts(_ count: Int, upTo largest: Int64, using random: inout SeededRandom) -> [Int] {
  var sizes: [Int] = []
  var total = 0
  while total < count {
    sizes.append(Int(random.integer(in: 1...largest)))
    total += sizes[sizes.count - 1]
  }
  return sizes
}

func one(_ count: Int) -> [Int] { [Int](repeating: 1, count: count) }

/// The close codes of the failures among `events`.
func failureCodes(_ events: [WebSocketEvent]) -> [UInt16] {
  events.compactMap { if case .failed(let failure) = $0 { failure.closeCode } else { nil } }
}
