import Core
import Network
import WebSocket

/// An end of a connection that reads all that comes, with the times, and writes without waiting.
///
/// @unchecked: confined to the stream's loop.
final class Peer: ByteStreamHandler, @unchecked Sendable {
  struct Arrival: Equatable {
    var bytes: Int
    var at: Instant
  }

  let stream: ByteStream
  private(set) var received: [UInt8] = []
  private(set) var arrivals: [Arrival] = []
  /// When the FIN was read.
  private(set) var ended: Instant?
  private(set) var failure: NetworkError?
  private(set) var failedAt: Instant?
  private(set) var unsent: [UInt8] = []
  /// How much the stream has taken in all.
  private(set) var taken = 0
  var reads = true { didSet { if reads { read() } } }

  init(_ stream: ByteStream) {
    self.stream = stream
    stream.handler = self
  }

  var text: String { String(decoding: received, as: UTF8.self) }
  var hasEnded: Bool { ended != nil || failure != nil }

  func forget() {
    received = []
    arrivals = []
  }

  func write(_ bytes: some Collection<UInt8>) {
    unsent.append(contentsOf: bytes)
    flush()
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  func readable(_ stream: ByteStream) { if reads { read() } }
  func writable(_ stream: ByteStream) { flush() }

  private func read() {
    do throws(NetworkError) {
      while true {
        switch try stream.read(into: stream.loop.scratch) {
        case .bytes(let count):
          received.append(contentsOf: stream.loop.scratch[..<count])
          arrivals.append(Arrival(bytes: count, at: stream.loop.now))
        case .end:
          ended = ended ?? stream.loop.now
          return
        case .wouldBlock: return
        }
      }
    } catch { fail(error) }
  }

  private func flush() {
    if unsent.isEmpty { return }
    do throws(NetworkError) {
      let count = try stream.write(unsent)
      taken += count
      unsent.removeFirst(count)
    } catch { fail(error) }
  }

  private func fail(_ error: NetworkError) {
    if failure == nil { failedAt = stream.loop.now }
    failure = failure ?? error
  }
}

/// Frames as bytes.
enum Frames {
  static func make(_ opcode: Opcode, _ payload: [UInt8], fin: Bool = true, masked: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    FrameWriter.write(opcode, fin: fin, payload: payload, mask: masked ? 0x0102_0304 : nil, into: &bytes)
    return bytes
  }

  static func text(_ text: String, masked: Bool) -> [UInt8] { make(.text, Array(text.utf8), masked: masked) }

  /// What a peer that reads `bytes` understands, in order, as text: `message(hello)`, `close(1001 bye)`, …
  static func lines(_ bytes: [UInt8], masked: Bool?) -> [String] {
    events(bytes, masked: masked).map { event in
      switch event {
      case .message(_, let payload): "message(\(String(decoding: payload, as: UTF8.self)))"
      case .ping(let payload): "ping(\(String(decoding: payload, as: UTF8.self)))"
      case .pong(let payload): "pong(\(String(decoding: payload, as: UTF8.self)))"
      case .closeReceived(let code, let reason): "close(\(code.map { "\($0)" } ?? "-") \(reason))"
      case .failed(let failure): "failed(\(failure.reason))"
      }
    }
  }

  static func events(_ bytes: [UInt8], masked: Bool?) -> [WebSocketEvent] {
    var tracker = FrameTracker()
    var assembler = MessageAssembler(expectsMask: masked)
    var events: [WebSocketEvent] = []
    bytes.withUnsafeBytes { chunk in
      var position = 0
      while let slice = tracker.next(in: chunk, at: &position) {
        if let event = assembler.accept(slice, of: chunk) { events.append(event) }
      }
    }
    if let failure = tracker.failure, let event = assembler.accept(failure) { events.append(event) }
    return events
  }
}
