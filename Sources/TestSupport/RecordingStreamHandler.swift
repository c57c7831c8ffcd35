public import Network

/// Reads all that comes on a stream and notes what happened, in order; writes without waiting.
///
/// @unchecked: confined to the stream's loop.
public final class RecordingStreamHandler: ByteStreamHandler, @unchecked Sendable {
  public enum Event: Equatable, Sendable {
    case bytes(Int)
    case end
    case failed(NetworkError)
    case hungUp(NetworkError?)
    case writable
  }

  public let stream: ByteStream
  public private(set) var events: [Event] = []
  public private(set) var received: [UInt8] = []
  /// What has been given to `write` and not been taken by the stream.
  public private(set) var unsent: [UInt8] = []
  /// Off: readable callbacks read nothing.
  public var reads = true
  private let waiter: Waiter

  public init(_ stream: ByteStream) {
    self.stream = stream
    waiter = Waiter(loop: stream.loop, label: "recording of the stream from \(stream.local) to \(stream.peer)")
    stream.handler = self
  }

  public var text: String { String(decoding: received, as: UTF8.self) }

  public func write(_ bytes: some Collection<UInt8>) {
    unsent.append(contentsOf: bytes)
    flush()
  }

  /// Waits until the condition holds; it is looked at after each event.
  public func wait(until condition: (RecordingStreamHandler) -> Bool) async throws {
    while !condition(self) { try await waiter.wait() }
  }

  /// Waits until so many bytes have been received in all.
  public func wait(bytes count: Int) async throws { try await wait { $0.received.count >= count } }

  /// Waits until the stream has ended, by the peer's FIN or an error.
  public func waitForEnd() async throws {
    try await wait {
      $0.events.contains { event in
        switch event {
        case .end, .failed: true
        default: false
        }
      }
    }
  }

  public func readable(_ stream: ByteStream) { if reads { read() } }

  /// Reads until nothing is left.
  public func read() {
    do throws(NetworkError) {
      while true {
        switch try stream.read(into: stream.loop.scratch) {
        case .bytes(let count):
          received.append(contentsOf: stream.loop.scratch[..<count])
          note(.bytes(count))
        case .end: return note(.end)
        case .wouldBlock: return
        }
      }
    } catch { note(.failed(error)) }
  }

  public func writable(_ stream: ByteStream) {
    note(.writable)
    flush()
  }

  public func hungUp(_ stream: ByteStream, _ error: NetworkError?) { note(.hungUp(error)) }

  private func flush() {
    if unsent.isEmpty { return }
    do throws(NetworkError) { unsent.removeFirst(try stream.write(unsent)) } catch { note(.failed(error)) }
  }

  private func note(_ event: Event) {
    events.append(event)
    waiter.signal()
  }
}
