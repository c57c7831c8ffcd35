public import Core

/// Where the bytes of one direction of one connection wait while a fault is on. Bytes come out in the order they went in.
///
/// A subclass says how many of the next bytes go on together, and when; the stage does the holding. When the fault ends,
/// everything held goes on at once. A stage may also throw bytes away: then the connection is reset when the fault ends.
///
/// @unchecked: confined to its connection's loop.
open class ByteStage: @unchecked Sendable {
  /// So many bytes are held before the source is read no further.
  public static let defaultHoldLimit = 256 * 1024

  /// What is to become of the next bytes.
  public struct Slot {
    /// How many of them; at least 1, more than there are means all.
    public var bytes: Int
    /// When they go on; `distantFuture`: when the fault ends. Never before the slot that came before it.
    public var due: Instant
    /// They are thrown away, now.
    public var discards = false
    /// The connection ends behind these bytes, both ways, by a FIN or an RST; what comes after them is thrown away.
    public var ends: Ending.How?

    public init(bytes: Int = .max, due: Instant, ends: Ending.How? = nil) {
      self.bytes = bytes
      self.due = due
      self.ends = ends
    }

    /// All bytes are thrown away.
    public static var discard: Slot {
      var slot = Slot(due: Instant(nanoseconds: .min))
      slot.discards = true
      return slot
    }
  }

  private struct Held {
    var segment: Segment
    var arrival: Instant
    var due: Instant
  }

  private var held: [Held] = []
  private var first = 0
  private var last = Instant(nanoseconds: .min)
  /// Bytes held now.
  public private(set) var heldBytes = 0
  /// Bytes thrown away so far.
  public private(set) var lostBytes = 0
  /// Whose stage it is; set by the relay.
  final var entry: FaultEntry?
  /// Its fault has asked for the connection's end.
  final private(set) var hasCut = false

  /// When the connection is ended, if a stage ends it; after what is due by then has been written.
  final var ending: StageEnding?
  /// How the connection ends with the fault, since this stage has thrown bytes away or will not pass them on.
  final var endsWithFault: StageEnding.How?

  public init() {}

  /// How many bytes may be held before reading stops.
  open var holdLimit: Int { Self.defaultHoldLimit }
  /// Whether the source is not read at all; for faults that let backpressure build.
  open var stopsReading: Bool { false }
  /// Whether it has done all it ever will: once it is empty, the relay takes it out.
  open var isDone: Bool { false }

  /// Decides about the next `count` bytes, which came to the stage at `arrival`; 0 stands for a FIN or an RST.
  /// Called again for what a slot leaves over.
  open func schedule(_ count: Int, arrival: Instant) -> Slot { Slot(due: arrival) }

  /// When the fault's options change, what is held is scheduled anew: from its own arrival, or (by default) as if it came
  /// now, as suits what keeps a pace.
  open var schedulesFromArrival: Bool { false }

  /// Whether `edit` is to be asked.
  open var edits: Bool { false }
  /// Sees bytes on their way in, before they are scheduled, and may change them; not their number, where they are frames.
  open func edit(_ bytes: inout [UInt8]) {}

  final var isEmpty: Bool { first == held.count }

  final func push(_ segment: Segment, arrival: Instant) {
    var segment = segment
    if edits, segment.mark == nil { segment.edit(by: self) }
    place(segment, arrival: arrival)
  }

  private final func place(_ whole: Segment, arrival: Instant) {
    var segment = whole
    while true {
      if hasCut { return lostBytes += segment.count }
      let count = segment.count
      let slot = schedule(count, arrival: arrival)
      let isAll = slot.bytes >= count || slot.bytes <= 0
      let piece = isAll ? segment : segment.take(slot.bytes)
      if slot.discards {
        lostBytes += piece.count
      } else {
        last = max(last, slot.due)
        heldBytes += piece.count
        held.append(Held(segment: piece, arrival: arrival, due: last))
      }
      if let how = slot.ends, let entry {
        held.append(Held(segment: Segment(mark: .cut(Cut(entry, how))), arrival: arrival, due: last))
        hasCut = true
      }
      if isAll { return }
    }
  }

  /// Takes over, in order, what another stage of the same fault holds: the fault's options have changed.
  final func adopt(_ other: ByteStage, at now: Instant) {
    for one in other.held[other.first...] {
      place(one.segment, arrival: schedulesFromArrival ? one.arrival : now)
    }
    lostBytes += other.lostBytes
    other.clear()
  }

  /// When the next segment goes on; nil if nothing is held.
  final var due: Instant? { first < held.count ? held[first].due : nil }

  /// The next segment whose time has come, and that time.
  final func pop(_ now: Instant) -> (Segment, Instant)? {
    guard first < held.count, held[first].due <= now else { return nil }
    return popFirst()
  }

  /// The next segment whether or not its time has come; for the end of the fault.
  final func popFirst() -> (Segment, Instant)? {
    guard first < held.count else { return nil }
    let next = held[first]
    held[first].segment = Segment(mark: .fin)
    first += 1
    if first == held.count {
      held.removeAll(keepingCapacity: held.capacity <= 16)
      first = 0
    } else if first >= 64, first * 2 >= held.count {
      held.removeFirst(first)
      first = 0
    }
    heldBytes -= next.segment.count
    return (next.segment, next.due)
  }

  /// Forgets everything.
  final func clear() {
    held = []
    first = 0
    heldBytes = 0
  }
}

/// The end of a connection that a stage has asked for, on its way behind the bytes that still go on.
final class Cut: Sendable {
  let entry: FaultEntry
  let how: Ending.How
  init(_ entry: FaultEntry, _ how: Ending.How) {
    self.entry = entry
    self.how = how
  }
}

/// A connection's end at the hands of a stage, at a time.
struct StageEnding {
  enum How: Sendable {
    /// A FIN to both sides.
    case close
    /// An RST to both sides.
    case reset
  }
  var at: Instant
  var how: How
}
