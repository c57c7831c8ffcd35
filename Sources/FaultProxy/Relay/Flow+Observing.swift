import Core

/// Tells the judge what crossed, once for each side: where it came in when it came, where it went out when it went.
extension Flow {
  @inline(__always)
  func note(_ note: Note) { if proxy.observe != nil { proxy.notes.append(note) } }

  /// What was just read has been passed on or held: tells the incoming side of all of it, and the outgoing side of what
  /// has gone.
  func tellNotes(_ now: Instant) {
    tellPassed(now)
    var notes: [Note] = []
    // Telling may lead to more; those are told on their own.
    swap(&notes, &proxy.notes)
    for index in notes.indices {
      if let loss, notes[index].end > loss.start {
        tellLost(notes[index], loss.faults, now)
        continue
      }
      let gone = notes[index].end <= forwarded
      if !gone, notes[index].disposition != .dropped { notes[index].faults.formUnion(stageFaults) }
      tellIncoming(notes[index], now, gone: gone)
      if gone {
        tellOutgoing(notes[index], now)
      } else if notes[index].sides != .incoming {
        pending.append(notes[index])
      }
    }
    notes.removeAll(keepingCapacity: true)
    if proxy.notes.isEmpty { swap(&notes, &proxy.notes) }
  }

  /// Tells the outgoing side of what has been passed on since.
  func tellPassed(_ now: Instant) {
    while let note = pending.first, note.end <= forwarded {
      pending.removeFirst()
      var late = note
      if late.disposition == .passed { late.disposition = .delayed }
      tellOutgoing(late, now)
    }
  }

  /// A fault has thrown it away, in whole or in part.
  private func tellLost(_ note: Note, _ faults: FaultSet, _ now: Instant) {
    var lost = note
    lost.disposition = .dropped
    lost.faults.formUnion(faults)
    tellIncoming(lost, now, gone: false)
  }

  @inline(__always)
  private func tellIncoming(_ note: Note, _ now: Instant, gone: Bool) {
    if note.sides == .outgoing { return }
    let dropped = note.disposition == .dropped
    let disposition = note.disposition == .passed && !gone ? .delayed : note.disposition
    proxy.emit(
      Observation(
        time: note.arrival, otherSideTime: gone && !dropped ? now : nil, connection: connection,
        client: client, side: incomingSide, direction: direction, disposition: disposition,
        faults: note.faults, event: note.event))
  }

  @inline(__always)
  private func tellOutgoing(_ note: Note, _ now: Instant) {
    if note.sides == .incoming { return }
    proxy.emit(
      Observation(
        time: now, otherSideTime: note.disposition == .injected ? nil : note.arrival,
        connection: connection, client: client, side: outgoingSide, direction: direction,
        disposition: note.disposition, faults: note.faults, event: note.event))
  }
}
