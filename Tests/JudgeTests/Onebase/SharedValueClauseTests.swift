import Core
import JSON
import Protocols
import Testing

@testable import Judge

/// OB-S9.
struct SharedValueClauseTests {
  /// As many clients as asked for, each on the connection of its number, subscribed to one room.
  private func subscribed(_ count: UInt64, faults: [String] = []) -> Play {
    var play = Play(IdenticalSubscriptionsAgree.self, faults: faults)
    for client in 1...count {
      play.join(client, client: UInt32(client))
      play.client(.sub(1), on: client)
    }
    return play
  }

  /// The connections show values by number, one after another.
  private func show(_ play: inout Play, _ shown: [(UInt64, UInt32)]) {
    for (connection, value) in shown {
      play.after(0.01)
      play.server(.shows(1, marker(value)), on: connection)
    }
  }

  @Test func oneOrderWithSkipsPasses() {
    var play = subscribed(3)
    show(&play, [(1, 1), (2, 1), (3, 1), (1, 2), (1, 3), (2, 3), (3, 2), (3, 3)])
    play.after(3)
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    // Steps of the others in the leader's order, and the quiet at the end.
    #expect(finding.opportunities == 4)
  }

  @Test func whatTheLeaderShowsLaterIsNoOtherOrder() {
    var play = subscribed(2)
    show(&play, [(1, 1), (2, 1), (2, 2), (2, 3), (1, 2), (1, 3), (2, 4), (1, 4)])
    #expect(play.finding().violations == 0)
  }

  @Test func anotherOrderFails() {
    var play = subscribed(2)
    show(&play, [(1, 1), (2, 1), (1, 2), (1, 3), (2, 3), (2, 2), (1, 4), (2, 4)])
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.violations == 1)
    #expect(finding.worst?.connection == ConnectionID(loop: 0, ordinal: 2))
  }

  @Test func valuesThatComeBackProveNoOrder() {
    var play = subscribed(3)
    show(&play, [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2), (2, 1), (3, 1), (1, 1), (1, 3), (2, 3), (3, 3)])
    let finding = play.finding()
    #expect(finding.violations == 0)
    #expect(finding.verdict == .inconclusive)
  }

  @Test func anOutdatedValueInTheQuietFails() {
    var play = subscribed(3)
    show(&play, [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2)])
    play.after(2.5)
    let finding = play.finding()
    #expect(finding.verdict == .fail)
    #expect(finding.worst?.text.contains("3 identical subscriptions show 2 different values") == true)
    #expect(finding.worst?.connection == ConnectionID(loop: 0, ordinal: 3))
  }

  @Test func aStallInTheQuietIsInconclusive() {
    var play = subscribed(2)
    show(&play, [(1, 1), (2, 1), (1, 2)])
    play.after(2.5)
    play.run(.stall(.seconds(2)))
    #expect(play.verdict() == .inconclusive)
  }

  @Test func otherArgumentsAndOtherUsersAreOtherQueries() {
    var play = Play(IdenticalSubscriptionsAgree.self)
    for client in 1...3 as ClosedRange<UInt64> {
      play.connect(client, client: UInt32(client))
      play.client(.auth(token: "t"), on: client)
      play.server(
        .authenticated(identity: ["subject": .string(client == 3 ? "m3" : "m1")]), on: client)
      play.client(.sub(1, room: client == 2 ? 5 : 4), on: client)
    }
    show(&play, [(1, 1), (2, 2), (3, 3)])
    play.after(5)
    #expect(play.verdict() == .notExercised)
  }

  @Test func oneSubscriberExercisesNothing() {
    var play = subscribed(1)
    show(&play, [(1, 1), (1, 2), (1, 1)])
    play.after(5)
    #expect(play.verdict() == .notExercised)
  }

  @Test func loopsThatEndWithDifferentValuesFail() {
    func loop(_ value: UInt32) -> Judge {
      var play = subscribed(2)
      show(&play, [(1, value), (2, value)])
      play.after(3)
      play.judge.finish(at: .seconds(play.now))
      return play.judge
    }
    let (a, b, c) = (loop(1), loop(1), loop(2))
    var same = a
    same.merge(b)
    #expect(same.findings[0].verdict == .pass)
    #expect(same.findings[0].opportunities == a.findings[0].opportunities * 2 + 1)
    var left = same
    left.merge(c)
    var right = c
    right.merge(b)
    right.merge(a)
    #expect(left.findings[0].verdict == .fail)
    #expect(left.findings == right.findings)
    #expect(left.violations.count == 1)
  }
}
