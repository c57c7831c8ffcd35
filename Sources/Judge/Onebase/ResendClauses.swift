import Core
import Protocols

/// OB-C9: a call that was sent and not answered is never sent again by itself.
struct NeverSendsAgain: TallyingClause {
  static let info = ClauseInfo(
    "OB-C9", .client, .client, "A call that was sent and not answered is never sent again silently.")
  static let topics = Topics.near(.call, .authReply)

  var tally = Tally()
  private struct Lost { var hash: UInt64; var hasMarker: Bool }
  private struct State {
    /// Calls that earlier connections took with them, the latest at the end.
    var lost: [Lost] = []
    var isNew = false
  }
  private var states = PerClient(State())
  /// How many lost calls of one client are remembered.
  private static let capacity = 64

  init(_ options: JudgeOptions) {}

  var tolerance: String { "same kind, path, arguments and marker; the last \(Self.capacity) lost calls of each client" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, !states[place].lost.isEmpty else { return }
    if message.facts.kind == .onebaseAuthReply {
      // The client is back, and could send them now.
      if states[place].isNew { tally.kept(faults: observation.faults) }
      states[place].isNew = false
      return
    }
    let hash = CallContent.hash(message)
    guard let index = states[place].lost.lastIndex(where: { $0.hash == hash }) else { return }
    guard states[place].lost[index].hasMarker else {
      return tally.doubted(
        "calls without a marker came again: the application may have asked anew", at: observation.time)
    }
    violate(
      "a call that an earlier connection left unanswered is sent again", at: observation.time, place, &scene,
      faults: observation.faults)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    guard place.hasClient, !cut else { return }
    for call in scene.connections[place.connection].near.calls {
      if states[place].lost.count == Self.capacity { states[place].lost.removeFirst() }
      states[place].lost.append(Lost(hash: call.hash, hasMarker: call.marker != nil))
      states[place].isNew = true
    }
  }
}

/// OB-C10: what was asked for offline is sent in the order it was asked for.
struct QueuedCallsKeepOrder: TallyingClause {
  static let info = ClauseInfo(
    "OB-C10", .client, .client, sources: [.intent], "Calls made while offline are sent in the order they were made.")
  static let topics = Topics.near(.call).union(.intent)

  var tally = Tally()
  private struct Entry { var key: UInt64; var isOvertaken = false }
  private struct State { var queue: [Entry] = []; var hasSent = false }
  private var states = PerClient(State())
  private static let capacity = 64

  init(_ options: JudgeOptions) {}

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, case .intent(.call(_, _, let marker?, offline: true)) = observation.event else { return }
    if states[place].queue.isEmpty { states[place].hasSent = false }
    if states[place].queue.count < Self.capacity { states[place].queue.append(Entry(key: marker.key)) }
  }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard place.hasClient, !states[place].queue.isEmpty, let key = CallContent.marker(message)?.key,
      let index = states[place].queue.firstIndex(where: { $0.key == key })
    else { return }
    let entry = states[place].queue.remove(at: index)
    for earlier in 0..<index { states[place].queue[earlier].isOvertaken = true }
    if entry.isOvertaken {
      violate(
        "a call made offline is sent after one that was made later", at: observation.time, place, &scene,
        faults: observation.faults)
    } else if states[place].hasSent {
      tally.kept(faults: observation.faults)
    }
    states[place].hasSent = true
  }
}
