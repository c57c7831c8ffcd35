import Core
import Synchronization

/// Carries bytes one after another at a rate: n bytes that find it free are there n / rate later.
struct Line: Sendable {
  /// Bytes a second, at least 1.
  private let rate: UInt64
  /// The line has been busy since then with so many bytes; so no rounding adds up.
  private var busySince = Instant(nanoseconds: .min)
  private var busyBytes: UInt64 = 0
  private var free = Instant(nanoseconds: .min)

  init(_ rate: Int) { self.rate = UInt64(max(1, rate)) }

  /// When the last of so many bytes comes off the line.
  mutating func carry(_ bytes: Int, from arrival: Instant) -> Instant {
    if arrival >= free {
      busySince = arrival
      busyBytes = 0
    }
    busyBytes &+= UInt64(max(0, bytes))
    free = busySince + .nanoseconds(nanoseconds(busyBytes))
    return free
  }

  /// How long the line takes for so many bytes, rounded up: never early.
  private func nanoseconds(_ bytes: UInt64) -> Int64 {
    let product = bytes.multipliedFullWidth(by: 1_000_000_000)
    guard product.high < rate else { return .max }
    let (quotient, remainder) = rate.dividingFullWidth(product)
    return Int64(clamping: quotient &+ (remainder > 0 ? 1 : 0))
  }
}

/// One line per direction for all connections that a fault hits, whatever loop they are on.
final class SharedLines: Sendable {
  private struct State: Sendable {
    var up: Line
    var down: Line
    /// Loops on which the fault is on.
    var loops = 0
  }

  private let rate: Int
  private let state: Mutex<State>

  init(_ rate: Int) {
    self.rate = rate
    state = Mutex(State(up: Line(rate), down: Line(rate)))
  }

  /// The fault begins on a loop; on the first of them the lines are free.
  func open(at now: Instant) {
    state.withLock { state in
      if state.loops == 0 { (state.up, state.down) = (Line(rate), Line(rate)) }
      state.loops += 1
    }
  }

  func close() { state.withLock { $0.loops = max(0, $0.loops - 1) } }

  func carry(_ bytes: Int, _ direction: Direction, from arrival: Instant) -> Instant {
    state.withLock { state in
      direction == .up ? state.up.carry(bytes, from: arrival) : state.down.carry(bytes, from: arrival)
    }
  }
}
