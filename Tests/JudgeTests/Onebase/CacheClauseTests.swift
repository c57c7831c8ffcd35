import Core
import Testing

@testable import Judge

/// OB-C17.
struct CacheClauseTests {
  private func shown(_ owner: String?, fromCache: Bool = true) -> Intent {
    .shown(path: "notes:list", arguments: "{}", fromCache: fromCache, owner: owner)
  }

  private func finding(_ intents: Intent...) -> ClauseFinding {
    var play = Play(CacheBelongsToUser.self)
    play.intends(.started)
    for intent in intents { play.intends(intent) }
    return play.finding()
  }

  @Test func whatIsHeldBackUntilTheSameUserIsConfirmedPasses() {
    #expect(finding(.user(subject: "a"), shown("a")).verdict == .pass)
    #expect(
      finding(.user(subject: "a"), shown("a", fromCache: false), .restarted, .user(subject: "a"), shown("a")).verdict
        == .pass)
  }

  @Test func aColdStartWithoutAuthNeedsNobody() { #expect(finding(shown(nil)).verdict == .pass) }

  @Test func showingBeforeTheConfirmationFails() {
    #expect(finding(shown("a")).verdict == .fail)
    #expect(finding(.user(subject: "a"), shown("a", fromCache: false), .restarted, shown("a")).verdict == .fail)
  }

  @Test func showingToAnotherUserFails() {
    #expect(finding(.user(subject: "b"), shown("a")).verdict == .fail)
    #expect(finding(.user(subject: nil), shown("a")).verdict == .fail)
  }

  @Test func aCacheThatOutlivesAChangeOfUsersFails() {
    let finding = finding(
      .user(subject: "a"), shown("a", fromCache: false), .user(subject: "b"), .user(subject: "a"), shown("a"))
    #expect(finding.violations == 1)
  }

  @Test func clearingAtAChangePasses() {
    let finding = finding(
      .user(subject: "a"), shown("a", fromCache: false), .cacheCleared, .user(subject: "b"),
      shown("b", fromCache: false), .restarted, .user(subject: "b"), shown("b"))
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 2)
  }

  @Test func aChangeWithoutAWordOfTheCacheIsInconclusive() {
    #expect(finding(.user(subject: "a"), shown("a", fromCache: false), .user(subject: "b")).verdict == .inconclusive)
  }

  @Test func liveResultsExerciseNothing() {
    #expect(finding(.user(subject: "a"), shown("a", fromCache: false)).verdict == .notExercised)
  }
}
