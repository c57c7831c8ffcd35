import Core

extension IdenticalSubscriptionsAgree {
  /// The subscriptions to one query by one user, on this loop.
  struct Group: Sendable {
    /// How many of the leader's values are remembered.
    static let logCapacity = 1_024
    private static let shownCapacity = 32
    private static let doubtCapacity = 8

    let key: UInt64
    var lastChange = Instant.zero
    /// This quiet was judged.
    var isJudged = false
    /// What subscribers show now: each value with how many show it, and who did so last.
    private(set) var shown: [Shown] = []
    private(set) var members = 0
    /// How often a value was found where the leader has it.
    var inOrder = 0
    /// A value came back at the leader.
    private(set) var recurs = false
    private(set) var doubts: [Doubt] = []

    private var leader: (connection: ConnectionID, id: Int64)?
    private var log: [UInt64] = []
    /// How many values were recorded; the last one's position.
    private var recorded = 0
    /// Only looked up in.
    private var positions: [UInt64: Int] = [:]

    struct Shown: Sendable { var value: UInt64; var count: Int; var place: Place }

    /// A subscriber went back to a value that the leader had before another.
    struct Doubt: Sendable {
      var value: UInt64
      var owner: ConnectionID
      var evidence: Evidence
      /// The leader has gone on to another value since.
      var isConfirmed = false
      /// Another subscriber went back to it too: so the value itself came back.
      var isShared = false
    }

    init(key: UInt64) { self.key = key }

    /// Something is about to change.
    mutating func settle(at time: Instant) {
      lastChange = time
      isJudged = false
    }

    mutating func add(_ value: UInt64, _ place: Place, _ id: Int64) {
      members += 1
      if let index = shown.firstIndex(where: { $0.value == value }) {
        shown[index].count += 1
        shown[index].place = place
      } else if shown.count < Self.shownCapacity {
        shown.append(Shown(value: value, count: 1, place: place))
      }
    }

    mutating func drop(_ value: UInt64) {
      members -= 1
      guard let index = shown.firstIndex(where: { $0.value == value }) else { return }
      shown[index].count -= 1
      if shown[index].count == 0 { shown.remove(at: index) }
    }

    /// The value that the fewest show.
    var odd: Shown? { shown.min { $0.count < $1.count } }

    /// Whether this subscriber leads; the first one does, or the next to speak after it has gone.
    mutating func lead(_ place: Place, _ id: Int64) -> Bool {
      if let leader { return leader.connection == place.owner && leader.id == id }
      leader = (place.owner, id)
      return true
    }

    mutating func unlead(_ place: Place, _ id: Int64) {
      if let leader, leader.connection == place.owner, leader.id == id { self.leader = nil }
    }

    /// Adds the leader's value to the order; answers its position.
    mutating func record(_ value: UInt64) -> Int {
      if let known = positions[value] {
        // A new leader may begin with what the last one showed.
        if known == recorded { return known }
        recurs = true
      }
      recorded += 1
      if log.count < Self.logCapacity {
        log.append(value)
      } else {
        let slot = (recorded - 1) % Self.logCapacity
        if positions[log[slot]] == recorded - Self.logCapacity { positions[log[slot]] = nil }
        log[slot] = value
      }
      positions[value] = recorded
      return recorded
    }

    func position(of value: UInt64) -> Int? { positions[value] }

    mutating func doubt(_ value: UInt64, _ scene: Scene, _ time: Instant, _ place: Place) {
      if let index = doubts.firstIndex(where: { $0.value == value }) {
        if doubts[index].owner != place.owner { doubts[index].isShared = true }
      } else if doubts.count < Self.doubtCapacity {
        let text = "a subscription shows a value that an identical one had shown before another, which both have shown"
        doubts.append(
          Doubt(value: value, owner: place.owner, evidence: scene.evidence(text, at: time, place, severity: 0)))
      }
    }

    /// The leader has gone on to `value`.
    mutating func confirm(against value: UInt64) {
      for index in doubts.indices where doubts[index].value != value { doubts[index].isConfirmed = true }
    }
  }
}
