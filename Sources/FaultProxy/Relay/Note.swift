import Core

/// Something seen in one direction that the judge is to be told, once it is known what became of its bytes.
struct Note {
  enum Sides: UInt8 {
    case both
    /// What a fault swallowed, or what is written otherwise at the other side.
    case incoming
    /// What a fault made, or what was written otherwise at the other side.
    case outgoing
  }

  var event: Observation.Event
  /// The direction's count of passed-on bytes at which it is complete.
  var end: UInt64
  /// When its last byte came.
  var arrival: Instant
  var sides: Sides = .both
  /// `.passed` until it turns out to be delayed.
  var disposition: Observation.Disposition = .passed
  var faults: FaultSet = []
}

/// Notes whose bytes have not been passed on yet, in order.
struct PendingNotes {
  private var notes: [Note] = []
  private var start = 0

  var isEmpty: Bool { start == notes.count }
  var first: Note? { start < notes.count ? notes[start] : nil }

  mutating func append(_ note: Note) { notes.append(note) }

  mutating func removeFirst() {
    start += 1
    if start == notes.count {
      notes.removeAll(keepingCapacity: notes.capacity <= 8)
      start = 0
    } else if start >= 64, start * 2 >= notes.count {
      notes.removeFirst(start)
      start = 0
    }
  }

  /// Further faults hold what waits.
  mutating func touch(_ faults: FaultSet) {
    for index in start..<notes.count { notes[index].faults.formUnion(faults) }
  }
}
