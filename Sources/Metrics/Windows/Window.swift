/// A part of a run that figures are kept for: the whole, the steady rest, or a fault's time and what came after it.
public struct Window: Hashable, Comparable, Sendable {
  /// Its place in tables that are indexed by window.
  public let index: Int
  init(index: Int) { self.index = index }

  /// Everything.
  public static let whole = Window(index: 0)
  /// While no fault is on and none is being recovered from.
  public static let steady = Window(index: 1)
  /// While the fault at this position of the timeline is on.
  public static func during(_ ordinal: Int) -> Window { Window(index: 2 + 2 * ordinal) }
  /// From that fault's end until everything wanted is live again.
  public static func after(_ ordinal: Int) -> Window { Window(index: 3 + 2 * ordinal) }

  /// The fault's position in the timeline; nil for `whole` and `steady`.
  public var ordinal: Int? { index < 2 ? nil : (index - 2) / 2 }
  /// Whether it follows a fault.
  public var isAfter: Bool { index >= 2 && index % 2 == 1 }

  public static func < (a: Window, b: Window) -> Bool { a.index < b.index }
}

/// The windows that one instant lies in.
public struct WindowSet: Hashable, Sendable {
  var bits: UInt128
  init(bits: UInt128) { self.bits = bits }

  public static let empty = WindowSet(bits: 0)

  public mutating func insert(_ window: Window) { bits |= 1 << UInt128(window.index) }
  public func contains(_ window: Window) -> Bool { bits & (1 << UInt128(window.index)) != 0 }

  /// The windows, ascending.
  public var windows: [Window] {
    var result: [Window] = []
    forEachIndex { result.append(Window(index: $0)) }
    return result
  }

  func forEachIndex(_ body: (Int) -> Void) {
    var rest = bits
    while rest != 0 {
      body(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
  }
}
