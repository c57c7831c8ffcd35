import Core

/// Something an event loop can fire, at an instant (`arm`) or in this turn (`soon`). Subclass it: the owner allocates
/// it once, arming costs no allocation, and disarming takes it out of the loop's heap at once.
///
/// While armed or queued it is kept alive by the loop.
/// @unchecked: confined to the loop it is armed on.
open class LoopTimer: @unchecked Sendable {
  /// When it was last asked to fire.
  public internal(set) var deadline: Instant = .zero
  /// Its place in the heap; negative while not armed.
  @exclusivity(unchecked) var slot: Int = -1
  /// Whether it stands in the queue of this turn.
  @exclusivity(unchecked) var isQueued = false

  public init() {}

  /// Whether it waits for its deadline.
  public var isArmed: Bool { slot >= 0 }

  /// Called on the loop. It may arm itself again.
  open func fire() {}
}

/// A timer that calls a closure; for owners with several timers, or none worth a class.
///
/// @unchecked: confined to the loop it is armed on.
public final class CallbackTimer: LoopTimer, @unchecked Sendable {
  private let body: () -> Void
  /// Mind the cycle: capture the owner weakly or unowned.
  public init(_ body: @escaping () -> Void) { self.body = body }
  public override func fire() { body() }
}
