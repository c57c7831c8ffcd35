/// A long row of counters of which most are never touched: pages of 32 are made on first use.
///
/// Counters are 32 bits wide; what goes beyond is kept as carries beside them, so that counts are exact all the same.
struct PagedCounters: Sendable {
  private static let pageBits = 5
  private static let slotsPerPage = 1 << pageBits

  /// How many times a counter went round, for the few that did.
  private struct Carry: Hashable, Sendable {
    var slot: Int
    var rounds: UInt64
  }

  /// For each page its place in `counters` plus one, or 0; empty until the first count.
  private var places: [UInt16] = []
  private var counters: [UInt32] = []
  private var carries: [Carry] = []

  var isEmpty: Bool { places.isEmpty }

  /// Heap bytes in use.
  var bytes: Int { places.capacity * 2 + counters.capacity * 4 + carries.capacity * MemoryLayout<Carry>.stride }

  /// Adds to the counter at `slot` (below `slots`, the length of the row).
  mutating func add(_ count: UInt64, at slot: Int, of slots: Int) {
    if places.isEmpty { places = [UInt16](repeating: 0, count: (slots + Self.slotsPerPage - 1) >> Self.pageBits) }
    let page = slot >> Self.pageBits
    if places[page] == 0 { allocate(page) }
    let index = (Int(places[page]) - 1) << Self.pageBits | slot & (Self.slotsPerPage - 1)
    let (sum, overflow) = UInt64(counters[index]).addingReportingOverflow(count)
    counters[index] = UInt32(truncatingIfNeeded: sum)
    if overflow || sum > UInt64(UInt32.max) { carry(sum >> 32 | (overflow ? 1 << 32 : 0), at: slot) }
  }

  private mutating func allocate(_ page: Int) {
    let used = counters.count
    if counters.capacity == used {
      // Grown by an eighth, not doubled: there are many histograms and most stay small.
      counters.reserveCapacity(used + max(2, used >> (Self.pageBits + 3)) << Self.pageBits)
    }
    counters.append(contentsOf: repeatElement(0, count: Self.slotsPerPage))
    places[page] = UInt16(used >> Self.pageBits) + 1
  }

  private mutating func carry(_ rounds: UInt64, at slot: Int) {
    if let index = carries.firstIndex(where: { $0.slot == slot }) {
      carries[index].rounds &+= rounds
    } else {
      carries.append(Carry(slot: slot, rounds: rounds))
    }
  }

  /// The counter at `slot`; at most `UInt64.max`.
  func count(at slot: Int) -> UInt64 {
    let page = slot >> Self.pageBits
    guard page < places.count, places[page] != 0 else { return 0 }
    let low = UInt64(counters[(Int(places[page]) - 1) << Self.pageBits | slot & (Self.slotsPerPage - 1)])
    if carries.isEmpty { return low }
    let rounds = carries.first { $0.slot == slot }?.rounds ?? 0
    return rounds >> 32 == 0 ? rounds << 32 | low : .max
  }

  /// Whether any counter of the page that holds `slot` was ever touched.
  func hasPage(of slot: Int) -> Bool {
    let page = slot >> Self.pageBits
    return page < places.count && places[page] != 0
  }

  /// The first slot of the page after the one that holds `slot`.
  static func nextPage(after slot: Int) -> Int { (slot >> pageBits + 1) << pageBits }
}
