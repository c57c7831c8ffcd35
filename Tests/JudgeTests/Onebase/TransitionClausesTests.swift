import Core
import Protocols
import Testing

@testable import Judge

/// OB-S8.
struct TransitionClausesTests {
  /// Client 7 has shown subscription 1, and has sent a mutation with marker 1.
  private func writing() -> Play {
    var play = Play(ResultComesWithUpdates.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.shows(1))
    play.client(.add(1, marker(1)))
    return play
  }

  @Test func resultAndValueInOneTransitionPass() {
    var play = writing()
    play.server(.together([.shows(1, [marker(1)])], [.answers(1)]))
    play.server(.shows(1, marker(1), marker(2)))
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 1)
  }

  @Test func aValueAfterTheResultFails() {
    var play = writing()
    play.server(.answers(1))
    play.after(0.02)
    play.server(.shows(1, marker(1)))
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
    #expect(
      finding.worst?.text
        == "the first value that shows a mutation came 20.0 ms after its result, in a message of its own")
  }

  @Test func aValueBeforeTheResultFailsOnce() {
    var play = writing()
    play.server(.shows(1, marker(1)))
    play.server(.shows(1, marker(1)))
    play.server(.answers(1))
    play.server(.shows(1, marker(1)))
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
  }

  @Test func twoTransitionsForResultAndValueFail() {
    var play = writing()
    play.server(.together([], [.answers(1)]))
    play.server(.together([.shows(1, [marker(1)])], []))
    #expect(play.verdict() == .fail)
  }

  @Test func theFirstValueOfALaterSubscriptionMayShowIt() {
    var play = writing()
    play.client(.sub(2))
    play.server(.answers(1))
    play.server(.shows(2, marker(1)))
    #expect(play.verdict() == .notExercised)
  }

  @Test func aFirstValueThatComesWithTheResultProvesNothing() {
    var play = Play(ResultComesWithUpdates.self)
    play.join(1)
    play.client(.sub(1))
    play.client(.add(1, marker(1)))
    play.server(.together([.shows(1, [marker(1)])], [.answers(1)]))
    play.server(.shows(1, marker(2), marker(1)))
    #expect(play.verdict() == .notExercised)
  }

  @Test func aMutationThatNothingShowsIsNoOpportunity() {
    var play = writing()
    play.server(.answers(1))
    play.server(.shows(1, marker(9)))
    #expect(play.verdict() == .notExercised)
  }

  @Test func anotherClientsMutationIsNoOpportunity() {
    var play = writing()
    play.server(.shows(1, marker(1, client: 8)))
    #expect(play.verdict() == .notExercised)
  }
}
