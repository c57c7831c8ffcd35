import Core
import Network

/// What faults do to a connection.
extension Relay: FaultedConnection {
  func reset(by entry: FaultEntry) { abort(.reset, faults: entry.faultSet) }

  func close(by entry: FaultEntry) { finish(entry, frame: nil) }

  func close(by entry: FaultEntry, code: UInt16?, reason: String) {
    finish(entry, frame: InjectedClose(code: code, reason: reason))
  }

  /// Ends both sides at the hands of a fault's stage.
  func end(_ how: StageEnding.How, by run: FaultRun) {
    if isOver { return }
    proxy.touch(run, subject)
    switch how {
    case .reset: abort(.reset, faults: run.entry.faultSet)
    case .close: end(faults: run.entry.faultSet)
    }
  }

  private func finish(_ entry: FaultEntry, frame: InjectedClose?) {
    switch state {
    case .over: return
    case .connecting, .hanging, .answering:
      noteEnd(.client, .fin, by: .proxy, entry.faultSet)
      client.close()
      leave()
    case .relaying:
      takeFaultsInIfChanged()
      if entry.direction.contains(.down) { down.finish(by: entry, frame: frame) }
      if !isOver, entry.direction.contains(.up) { up.finish(by: entry, frame: frame) }
    }
  }

  /// The answer of a fault to an upgrade request; nil if the upstream is to answer.
  func answerUpgrade() -> (status: Int, retryAfter: Duration?, faults: FaultSet)? {
    guard state == .answering, let answer else { return nil }
    return (answer.status, answer.retryAfter, holder?.entry.faultSet ?? [])
  }
}

/// A close frame that a fault puts in.
struct InjectedClose {
  var code: UInt16?
  var reason: String
}
