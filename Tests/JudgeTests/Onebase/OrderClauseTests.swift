import Core
import JSON
import Protocols
import Testing

@testable import Judge

/// OB-S10.
struct OrderClauseTests {
  private func list(_ request: Int64) -> OnebaseClientMessage {
    .call(requestId: request, kind: .query, path: "notes:list", arguments: ["room": 0])
  }

  private func lists(_ request: Int64, _ markers: Marker...) -> OnebaseServerMessage {
    .result(
      OnebaseResult(requestId: request, outcome: .ok(value: .array(markers.map { .string($0.description) }))))
  }

  /// Client 7 has shown subscription 1 and has sent mutations 1 and 2 at once.
  private func pipelined() -> Play {
    var play = Play(MessagesAreTakenInOrder.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.shows(1))
    play.client(.add(1, marker(1)))
    play.client(.add(2, marker(2)))
    return play
  }

  @Test func aQueryThatSeesTheMutationBeforeItPasses() {
    var play = Play(MessagesAreTakenInOrder.self)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.client(list(2))
    play.server(.answers(1))
    play.server(lists(2, marker(1)))
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 1)
  }

  @Test func aQueryThatLacksItFailsOnceItIsSeen() {
    var play = Play(MessagesAreTakenInOrder.self)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.client(list(2))
    play.server(lists(2))
    play.server(.answers(1))
    play.client(list(3))
    play.server(lists(3, marker(1)))
    #expect(play.finding().violations == 1)
  }

  @Test func aMutationThatIsSentTwiceIsOne() {
    var play = Play(MessagesAreTakenInOrder.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.shows(1))
    play.client(.add(1, marker(1)))
    play.client(.add(1, marker(1)))
    play.client(.add(2, marker(2)))
    play.server(.together([.shows(1, [marker(1), marker(2)])], [.answers(2)]))
    play.server(.update(.shows(1, [marker(1), marker(1), marker(2)])))
    #expect(play.finding().violations == 0)
  }

  @Test func aMutationThatIsNeverSeenProvesNothing() {
    var play = Play(MessagesAreTakenInOrder.self)
    play.join(1)
    play.client(.add(1, marker(1)))
    play.client(list(2))
    play.server(lists(2))
    play.server(.answers(1))
    #expect(play.verdict() == .notExercised)
  }

  @Test func pipelinedMutationsThatAppearInOrderPass() {
    var play = pipelined()
    play.server(.together([.shows(1, [marker(1)])], [.answers(1)]))
    play.server(.together([.shows(1, [marker(1), marker(2)])], [.answers(2)]))
    #expect(play.verdict() == .pass)
  }

  @Test func pipelinedMutationsInAnotherOrderFail() {
    var play = pipelined()
    play.server(.together([.shows(1, [marker(2)])], [.answers(2)]))
    play.server(.together([.shows(1, [marker(2), marker(1)])], [.answers(1)]))
    #expect(play.verdict() == .fail)
  }

  @Test func valuesOfOtherQueriesProveNothing() {
    var play = pipelined()
    play.client(.sub(2, room: 9))
    play.server(.shows(2, marker(2)))
    play.server(.shows(1, marker(1)))
    #expect(play.verdict() == .notExercised)
  }

  @Test func aMutationThatWasSwallowedIsNotMissed() {
    var play = Play(MessagesAreTakenInOrder.self)
    play.join(1)
    play.clientInVain(.add(1, marker(1)))
    play.client(.add(2, marker(2)))
    play.client(list(3))
    play.server(lists(3, marker(2)))
    #expect(play.verdict() == .pass)
  }
}
