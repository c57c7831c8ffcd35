public import Core

/// Where the bytes of one direction of one connection wait while a fault is on. Bytes come out in the order they went in.
///
/// A subclass says how many of the next bytes go on together, and when; the stage does the holding. When the fault ends,
/// everything held goes on at once.
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
    public init(bytes: Int = .max, due: Instant) {
      self.bytes = bytes
      self.due = due
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

  /// When the connection is ended, if a stage ends it; after what is due by then has been written.
  final var ending: StageEnding?
  /// How the connection ends with the fault, since this stage has thrown bytes away or will not pass them on.
  final var endsWithFault: StageEnding.How?

  public init() {}

  /// How many bytes may be held before reading stops.
  open var holdLimit: Int { Self.defaultHoldLimit }

  /// Decides about the next `count` bytes, which came to the stage at `arrival`; 0 stands for a FIN or an RST.
  /// Called again for what a slot leaves over.
  open func schedule(_ count: Int, arrival: Instant) -> Slot { Slot(due: arrival) }

  /// When the fault's options change, what is held is scheduled anew: from its own arrival, or (by default) as if it came
  /// now, as suits what keeps a pace.
  open var schedulesFromArrival: Bool { false }

  /// Whether `edit` is to be asked.
  open var edits: Bool { false }
  /// Changes bytes on their way in; for faults that corrupt.
  open func edit(_ bytes: inout [UInt8]) {}

  final var isEmpty: Bool { first == held.count }

  final func push(_ segment: Segment, arrival: Instant) {
    var segment = segment
    if edits, segment.mark == nil { segment.edit(by: self) }
    place(segment, arrival: arrival)
  }

  private final func place(_ whole: Segment, arrival: Instant) {
    var segment = whole
    heldBytes += segment.count
    while true {
      let count = segment.count
      let slot = schedule(count, arrival: arrival)
      last = max(last, slot.due)
      if slot.bytes >= count || slot.bytes <= 0 {
        held.append(Held(segment: segment, arrival: arrival, due: last))
        break
      }
      held.append(Held(segment: segment.take(slot.bytes), arrival: arrival, due: last))
    }
  }

  /// Takes over, in order, what another stage of the same fault holds: the fault's options have changed.
  final func adopt(_ other: ByteStage, at now: Instant) {
    for one in other.held[other.first...] {
      place(one.segment, arrival: schedulesFromArrival ? one.arrival : now)
    }
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

/// A connection's end at the hands of a stage.
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
