/// Which mutations one subscriber was live for: what it is expected to show.
///
/// The last time it was away is remembered; what came before an earlier absence has been shown or given up by then.
struct ReceiverWindow {
  private var first: UInt32 = 0
  private var gap: Range<UInt32> = 0..<0
  private(set) var isLive = false
  private var wasLive = false

  /// `next` is the number of the next mutation.
  mutating func join(at next: UInt32) {
    if wasLive { gap = min(gap.lowerBound, next)..<next } else { first = next }
    isLive = true
    wasLive = true
  }

  mutating func leave(at next: UInt32) {
    isLive = false
    gap = next..<UInt32.max
  }

  /// Whether it was live when the mutation with this number was sent.
  func expects(_ number: UInt32) -> Bool { wasLive && number >= first && !gap.contains(number) }
}
