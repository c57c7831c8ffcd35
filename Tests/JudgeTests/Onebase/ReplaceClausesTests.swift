import JSON
import Protocols
import Testing

@testable import Judge

/// OB-S5.
struct ReplaceClausesTests {
  /// A value that names its room, as `notes:list` gives it.
  private func shows(_ id: Int64, room: Int64) -> OnebaseServerMessage {
    .update(OnebaseUpdate(id: id, outcome: .ok(value: ["room": .integer(room), "notes": []])))
  }

  /// Subscription 1 was to room 1 and is to room 2 now.
  private func replacing() -> Play {
    var play = Play(ResentSubReplaces.self)
    play.join(1)
    play.client(.sub(1, room: 1))
    play.server(shows(1, room: 1))
    play.client(.sub(1, room: 2))
    return play
  }

  @Test func theNewQuerysValuesPass() {
    var play = replacing()
    play.server(shows(1, room: 1))
    play.server(shows(1, room: 2))
    play.server(shows(1, room: 2))
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 1)
  }

  @Test func anOldValueAfterTheNewOnesFirstFails() {
    var play = replacing()
    play.server(shows(1, room: 2))
    play.server(shows(1, room: 1))
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
  }

  @Test func anOldValueInsideATransitionFails() {
    var play = replacing()
    play.server(shows(1, room: 2))
    play.server(
      .together([OnebaseUpdate(id: 1, outcome: .ok(value: ["room": 1, "notes": []]))], [.answers(1)]))
    #expect(play.verdict() == .fail)
  }

  @Test func valuesThatNameNoArgumentsAreInconclusive() {
    var play = Play(ResentSubReplaces.self)
    play.join(1)
    play.client(.sub(1, room: 1))
    play.client(.sub(1, room: 2))
    play.server(.shows(1, marker(1)))
    #expect(play.verdict() == .inconclusive)
  }

  @Test func aSwallowedReplacementIsNone() {
    var play = Play(ResentSubReplaces.self)
    play.join(1)
    play.client(.sub(1, room: 1))
    play.clientInVain(.sub(1, room: 2))
    play.server(shows(1, room: 1))
    #expect(play.verdict() == .notExercised)
  }

  @Test func anotherIdReplacesNothing() {
    var play = Play(ResentSubReplaces.self)
    play.join(1)
    play.client(.sub(1, room: 1))
    play.client(.sub(2, room: 2))
    play.client(.unsubscribe(id: 1))
    play.client(.sub(1, room: 3))
    play.server(shows(1, room: 3))
    #expect(play.verdict() == .notExercised)
  }
}
