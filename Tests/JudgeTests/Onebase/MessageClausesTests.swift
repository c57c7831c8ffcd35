import Core
import Protocols
import Testing

@testable import Judge

struct MessageClausesTests {
  // MARK: - OB-C14

  private func sent(_ texts: String..., isText: Bool = true) -> Verdict {
    var play = Play(MessagesAreWellFormed.self)
    play.connect(1)
    for text in texts { play.client(raw: text, isText: isText) }
    return play.verdict()
  }

  @Test func messagesOfTheProtocolAreWellFormed() {
    #expect(
      sent(
        #"{"type":"auth","token":null}"#, #"{"type":"sub","id":1,"path":"a:b","args":{}}"#,
        #"{"type":"call","requestId":1,"kind":"query","path":"a:b","args":{}}"#) == .pass)
  }

  @Test(arguments: [
    #"{"type":"sub","id":"1","path":"a:b","args":{}}"#, #"{"type":"sub","path":"a:b","args":{}}"#,
    #"{"type":"call","requestId":"7","kind":"query","path":"a:b","args":{}}"#, #"[{"type":"auth","token":null}]"#,
    #"{"type":"auth","token":null}{"type":"auth","token":null}"#, "hello", "",
  ])
  func messagesOfAnotherShapeAreNot(_ text: String) { #expect(sent(text) == .fail) }

  @Test func aBinaryMessageIsNot() { #expect(sent(#"{"type":"auth","token":null}"#, isText: false) == .fail) }

  @Test func aTypeThatTheProtocolDoesNotNameIsNoMatterOfShape() { #expect(sent(#"{"type":"presence"}"#) == .pass) }

  @Test func aRequestIdInFlightTwiceFails() {
    var play = Play(MessagesAreWellFormed.self)
    play.join(1)
    play.client(.add(1))
    play.server(.answers(1))
    play.client(.add(1))
    #expect(play.judge.findings[0].verdict == .pass)
    play.client(.add(1))
    #expect(play.verdict() == .fail)
  }

  @Test func withoutMessagesShapeIsNotExercised() { #expect(sent() == .notExercised) }

  // MARK: - OB-C13

  private func errors(_ count: Int, resubscribedAfter pause: Double?) -> Verdict {
    var play = Play(ErrorKeepsSubscription.self)
    play.join(1)
    play.client(.sub(1))
    for _ in 0..<count {
      play.after(10)
      play.server(.fails(1))
      if let pause {
        play.after(pause)
        play.client(.sub(1))
      }
    }
    play.after(10)
    return play.verdict()
  }

  @Test func aClientThatLeavesItsSubscriptionAlonePasses() {
    #expect(errors(1, resubscribedAfter: nil) == .pass)
    #expect(errors(3, resubscribedAfter: 2) == .pass)
  }

  @Test func aClientThatAlwaysSubscribesAgainFails() { #expect(errors(3, resubscribedAfter: 0.5) == .fail) }

  @Test func twoReactionsProveNothing() { #expect(errors(2, resubscribedAfter: 0.5) == .inconclusive) }

  @Test func withoutErrorsNothingIsKept() { #expect(errors(0, resubscribedAfter: nil) == .notExercised) }

  @Test func errorsInsideTransitionsCount() {
    var play = Play(ErrorKeepsSubscription.self)
    play.join(1)
    play.client(.sub(1))
    play.server(.together([OnebaseUpdate(id: 1, outcome: .failed(error: "x", data: nil))], []))
    play.after(5)
    #expect(play.verdict() == .pass)
  }
}
