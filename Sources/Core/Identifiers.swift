/// A client's number within a run: fleets are numbered one after another, from 0, in the order they are written.
public struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var number: UInt32
  @inlinable public init(_ number: UInt32) { self.number = number }
  @inlinable public static func < (a: ClientID, b: ClientID) -> Bool { a.number < b.number }
  public var description: String { "client \(number)" }
}

/// A connection as the proxy accepted it: unique within a run, increasing in order of acceptance on its loop.
///
/// The top 8 bits are the loop's (or worker's) index, so that ids made on different loops never meet.
public struct ConnectionID: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable public init(loop: UInt8, ordinal: UInt64) { rawValue = UInt64(loop) << 56 | ordinal }
  @inlinable public static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.rawValue < b.rawValue }
  @inlinable public var loop: UInt8 { UInt8(rawValue >> 56) }
  @inlinable public var ordinal: UInt64 { rawValue & 0x00FF_FFFF_FFFF_FFFF }
  public var description: String { "\(loop).\(ordinal)" }
}

/// The faults that touched something: a set of ordinals within the timeline (63 and above share the last bit).
public struct FaultSet: OptionSet, Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
  /// The set of the one fault with this ordinal.
  @inlinable public init(ordinal: Int) { rawValue = 1 << UInt64(min(max(ordinal, 0), 63)) }
  /// The ordinals in the set, ascending.
  public var ordinals: [Int] { (0..<64).filter { rawValue & (1 << UInt64($0)) != 0 } }
}
