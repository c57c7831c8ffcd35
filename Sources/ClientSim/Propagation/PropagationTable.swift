import Core
import Synchronization

/// Who is to show which mutation: shared by all loops of a run, of fixed size, without locks.
///
/// Per subscription key it counts the subscribers that are live now and the mutations sent so far. Sending a mutation
/// takes a slot, which holds how many receivers are still expected; each that shows it counts down, and the one that
/// comes to zero was the last. A subscriber knows from the count of mutations which ones were sent while it was live.
///
/// @unchecked: every cell is atomic; a loop writes what a cell's key guards before it publishes the key.
public final class PropagationTable: @unchecked Sendable {
  /// Different subscription keys that are told apart; mutations for further ones are not followed.
  public static let defaultKeys = 65_536
  /// Mutations under way that are followed at once; further ones are not.
  public static let defaultSlots = 65_536
  /// Places looked at before a table counts as full.
  private static let probes = 16

  private typealias Cells = UnsafeMutablePointer<Atomic<UInt64>>

  private let keyMask: Int
  private let slotMask: Int
  /// Per place: the key (0 for none).
  private let keys: Cells
  /// Per place: live subscribers (upper half) and mutations sent (lower half), so that both are read at once.
  private let counts: Cells
  /// Per slot: the mutation's key (0 for none), and what is expected (upper half) beside its ordinal (lower half).
  private let slots: Cells
  private let states: Cells

  /// Both capacities are rounded up to powers of two.
  public init(keys: Int = defaultKeys, slots: Int = defaultSlots) {
    keyMask = Self.powerOfTwo(keys) - 1
    slotMask = Self.powerOfTwo(slots) - 1
    self.keys = Self.cells(keyMask + 1)
    counts = Self.cells(keyMask + 1)
    self.slots = Self.cells(slotMask + 1)
    states = Self.cells(slotMask + 1)
  }

  deinit {
    for (cells, count) in [(keys, keyMask + 1), (counts, keyMask + 1), (slots, slotMask + 1), (states, slotMask + 1)] {
      cells.deinitialize(count: count)
      cells.deallocate()
    }
  }

  private static func powerOfTwo(_ least: Int) -> Int {
    var size = 16
    while size < least, size < 1 << 24 { size *= 2 }
    return size
  }

  private static func cells(_ count: Int) -> Cells {
    let cells = Cells.allocate(capacity: count)
    for index in 0..<count { (cells + index).initialize(to: Atomic(0)) }
    return cells
  }

  // MARK: Subscribers

  /// A subscriber is live: answers the number of the next mutation for its key, the first that it is expected to show.
  public func join(_ key: UInt64) -> UInt32 {
    guard let place = place(of: key, adding: true) else { return 0 }
    return UInt32(truncatingIfNeeded: counts[place].wrappingAdd(1 << 32, ordering: .acquiringAndReleasing).oldValue)
  }

  /// A subscriber is not live any more: answers the number of the first mutation it is not expected to show.
  public func leave(_ key: UInt64) -> UInt32 {
    guard let place = place(of: key, adding: false) else { return 0 }
    return UInt32(
      truncatingIfNeeded: counts[place].wrappingSubtract(1 << 32, ordering: .acquiringAndReleasing).oldValue)
  }

  /// How many subscribers with this key are live now.
  public func live(_ key: UInt64) -> Int {
    place(of: key, adding: false).map { Int(counts[$0].load(ordering: .acquiring) >> 32) } ?? 0
  }

  // MARK: Mutations

  /// A followed mutation: the slot, and what is in it.
  public struct Ticket: Hashable, Sendable {
    var slot: Int
    var key: UInt64
    /// How many receivers were expected.
    public var expected: Int
  }

  /// A mutation is about to be sent that subscribers of `key` are to show, all but `own`, the sender's own ones.
  /// Nil if nobody is, or if the table is full (then `expected` receivers are not followed; see `untracked`).
  public func send(_ marker: Marker, to key: UInt64, own: Int) -> Ticket? {
    guard let place = place(of: key, adding: false) else { return nil }
    let old = counts[place].wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
    let expected = Int(old >> 32) - own
    guard expected > 0 else { return nil }
    let wanted = Self.slotKey(marker, key)
    let state = UInt64(expected) << 32 | (old & 0xFFFF_FFFF)
    for probe in 0..<Self.probes {
      let slot = (Int(truncatingIfNeeded: wanted >> 8) &+ probe) & slotMask
      guard slots[slot].load(ordering: .relaxed) == 0 else { continue }
      let (claimed, _) = slots[slot].compareExchange(expected: 0, desired: Self.busy, ordering: .acquiring)
      guard claimed else { continue }
      states[slot].store(state, ordering: .relaxed)
      slots[slot].store(wanted, ordering: .releasing)
      return Ticket(slot: slot, key: wanted, expected: expected)
    }
    untracked.wrappingAdd(UInt64(expected), ordering: .relaxed)
    return nil
  }

  /// Receivers that were expected and could not be followed, because the table was full.
  public var untrackedReceivers: UInt64 { untracked.load(ordering: .relaxed) }
  private let untracked = Atomic<UInt64>(0)

  /// What a subscriber's showing a marker means.
  public enum Receipt: Hashable, Sendable {
    /// It was not expected: it was not live when the mutation was sent, or the mutation is not followed (any more).
    case unexpected
    case expected
    /// It was the last that was expected.
    case last
  }

  /// A subscriber of `key` shows the marker; `isExpected` tells from the mutation's number whether it was live then.
  public func show(_ marker: Marker, at key: UInt64, _ isExpected: (UInt32) -> Bool) -> Receipt {
    let wanted = Self.slotKey(marker, key)
    for probe in 0..<Self.probes {
      let slot = (Int(truncatingIfNeeded: wanted >> 8) &+ probe) & slotMask
      guard slots[slot].load(ordering: .acquiring) == wanted else { continue }
      var state = states[slot].load(ordering: .acquiring)
      guard isExpected(UInt32(truncatingIfNeeded: state)) else { return .unexpected }
      while state >> 32 > 0 {
        let (done, now) = states[slot].compareExchange(
          expected: state, desired: state - (1 << 32), ordering: .acquiringAndReleasing)
        if done {
          guard state >> 32 == 1 else { return .expected }
          free(slot, wanted)
          return .last
        }
        state = now
      }
      return .unexpected
    }
    return .unexpected
  }

  /// Stops following: answers how many receivers have not shown it.
  public func giveUp(_ ticket: Ticket) -> Int {
    guard slots[ticket.slot].load(ordering: .acquiring) == ticket.key else { return 0 }
    let left = states[ticket.slot].exchange(0, ordering: .acquiringAndReleasing) >> 32
    if left > 0 { free(ticket.slot, ticket.key) }
    return Int(left)
  }

  /// Whether all who were expected have shown it.
  public func isDone(_ ticket: Ticket) -> Bool { slots[ticket.slot].load(ordering: .acquiring) != ticket.key }

  private func free(_ slot: Int, _ key: UInt64) {
    _ = slots[slot].compareExchange(expected: key, desired: 0, ordering: .acquiringAndReleasing)
  }

  private static let busy: UInt64 = 1

  private static func slotKey(_ marker: Marker, _ key: UInt64) -> UInt64 {
    let mixed = SeededRandom.mix(marker.key ^ key)
    return mixed > busy ? mixed : busy + 1
  }

  private func place(of key: UInt64, adding: Bool) -> Int? {
    let key = key == 0 ? 1 : key
    let start = Int(truncatingIfNeeded: SeededRandom.mix(key))
    for probe in 0..<Self.probes {
      let place = (start &+ probe) & keyMask
      let found = keys[place].load(ordering: .acquiring)
      if found == key { return place }
      guard found == 0 else { continue }
      guard adding else { return nil }
      let (claimed, now) = keys[place].compareExchange(expected: 0, desired: key, ordering: .acquiringAndReleasing)
      if claimed || now == key { return place }
    }
    return nil
  }
}
