/// What a descriptor is ready for.
struct Readiness: OptionSet {
  var rawValue: UInt32
  static let readable = Readiness(rawValue: 1)
  static let writable = Readiness(rawValue: 2)
  /// The peer's FIN has come.
  static let peerClosed = Readiness(rawValue: 4)
  /// Both directions are over.
  static let hungUp = Readiness(rawValue: 8)
  static let error = Readiness(rawValue: 16)
}

/// Whoever owns a descriptor and wants to hear of it.
protocol ReadinessHandler: AnyObject {
  func ready(_ readiness: Readiness)
}

/// The machine's readiness notification: all that differs between Linux and other systems.
///
/// Notifications are edge-triggered: one comes when something changed, not while it lasts.
protocol Poller: AnyObject {
  /// Watches `descriptor` until it is removed. The handler is not retained and must remove itself before it goes.
  func add(_ descriptor: Int32, _ handler: any ReadinessHandler) throws(NetworkError)
  /// Another handler takes over a watched descriptor. It is not told again what the first has been told.
  func replace(_ descriptor: Int32, _ handler: any ReadinessHandler)
  /// Call it before closing the descriptor: an event of this batch that is still to come is then dropped.
  func remove(_ descriptor: Int32)
  /// Waits for at most so many nanoseconds (nil: for ever), to the nanosecond, then calls the handlers.
  func wait(nanoseconds: Int64?)
  /// Ends a wait; from any thread.
  func wake()
}
