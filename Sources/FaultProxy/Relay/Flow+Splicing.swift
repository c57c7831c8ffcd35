import Core
import Network

/// Bytes that only pass: moved from socket to socket through a pipe of the system, without a copy here.
///
/// Only what comes in bulk: for a small message a read and a write cost less than two splices.
extension Flow {
  /// Reads of so many bytes make the next ones worth a pipe.
  static let bulk = 32 * 1024

  /// Nothing is followed, held or waiting.
  var maySplice: Bool { phase == .opaque && stages.isEmpty && gate == nil && !drops && !hasUnsent && sinkError == nil }

  /// Moves what is there. True: there may be more; false: reading stops here; nil: it cannot be done this way.
  func splice(from source: ByteStream, to sink: ByteStream) -> Bool? {
    guard source.splices, sink.splices, let pipe = proxy.loop.pipes.borrow() else {
      isBulk = false
      return nil
    }
    do throws(NetworkError) {
      guard let result = try source.fill(pipe) else {
        proxy.loop.pipes.giveBack(pipe)
        proxy.loop.pipes.giveUp()
        isBulk = false
        return nil
      }
      switch result {
      case .bytes(let count):
        if direction == .up {
          proxy.counts.bytesUp &+= UInt64(count)
        } else {
          proxy.counts.bytesDown &+= UInt64(count)
        }
        received &+= UInt64(count)
        accepted &+= UInt64(count)
        isBulk = count >= Self.bulk
        pass(pipe, to: sink)
        return true
      case .wouldBlock:
        proxy.loop.pipes.giveBack(pipe)
        isBulk = false
        return false
      case .end:
        proxy.loop.pipes.giveBack(pipe)
        ended()
        return false
      }
    } catch {
      proxy.loop.pipes.giveBack(pipe)
      relay.failed(incomingSide, error)
      return false
    }
  }

  private func pass(_ pipe: SplicePipe, to sink: ByteStream) {
    do throws(NetworkError) { forwarded &+= UInt64(try sink.drain(pipe)) } catch { sinkError = error }
    if pipe.count == 0 || sinkError != nil { proxy.loop.pipes.giveBack(pipe) } else { self.pipe = pipe }
    settle(proxy.loop.now)
  }

  /// What a pipe holds goes before anything else that waits; false while some of it still does.
  func drainPipe(to sink: ByteStream) throws(NetworkError) -> Bool {
    guard let pipe else { return true }
    forwarded &+= UInt64(try sink.drain(pipe))
    if pipe.count > 0 { return false }
    dropPipe()
    return true
  }

  func dropPipe() {
    if let pipe { proxy.loop.pipes.giveBack(pipe) }
    pipe = nil
  }
}
