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

  func cutUpstream(by entry: FaultEntry) {
    guard state == .relaying || state == .connecting else { return }
    dropUpstream(by: entry)
    holder = proxy.runs.first { $0.entry.ordinal == entry.ordinal }
    state = .severed
    up.sever(by: entry)
    down.silence()
    if up.isHeldUp { up.pump() }
  }

  /// The fault that cut off the upstream has ended: the client learns of it.
  func endSilence() {
    guard state == .severed else { return }
    if let holder, holder.isOn, !own.contains(where: { $0.run === holder && $0.phase == .over }) { return }
    abort(.reset, faults: holder?.entry.faultSet ?? [])
  }

  /// The place where a fault ends the connection has come to a direction's sink.
  func cut(_ flow: Flow, _ cut: Cut) {
    if isOver { return }
    if cut.how == .reset { return abort(.reset, faults: cut.entry.faultSet) }
    flow.cut(by: cut.entry)
    if !isOver { (flow.direction == .up ? down : up).finish(by: cut.entry, frame: nil) }
  }

  private func finish(_ entry: FaultEntry, frame: InjectedClose?) {
    switch state {
    case .over: return
    case .connecting, .hanging, .answering, .severed:
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
