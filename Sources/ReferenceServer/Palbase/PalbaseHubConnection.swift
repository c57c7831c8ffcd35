import Protocols

/// What the hub knows of one connection; small, for there are thousands.
struct PalbaseHubConnection {
  /// One channel that it is on.
  struct Membership {
    let room: PalbaseRoom
    /// Its place among the room's members.
    var place: Int
    /// The ref of its join, which version 2 repeats with what is sent to it alone.
    var joinRef: PalbaseRef?
    /// Whether it wants broadcasts replied to.
    var acknowledges: Bool
  }

  /// False for a slot that waits to be given to a new connection.
  var isOpen = true
  /// Tells it from all others, also from earlier ones of its slot.
  var number: UInt64 = 0
  /// What it last spoke.
  var version: PalbaseVersion
  /// In the order joined.
  var memberships: [Membership] = []
  var broadcasts = RateWindow()
  var stateWrites = RateWindow()
  var joins = RateWindow()

  init(version: PalbaseVersion) { self.version = version }

  /// The place of a channel among the memberships.
  func find(_ topic: String) -> Int? { memberships.firstIndex { $0.room.topic.utf8.elementsEqual(topic.utf8) } }
  func find(_ room: PalbaseRoom) -> Int? { memberships.firstIndex { $0.room === room } }
}
