import Core
import Protocols
import Testing

/// What one scan finds in the messages of the protocol page, and in broken ones.
struct OnebaseClassifierTests {
  private let classifier = OnebaseClassifier()

  private func message(_ text: String, _ direction: Direction, isText: Bool = true) -> WireMessage {
    let payload = Array(text.utf8)
    return WireMessage(
      isText: isText, payload: payload,
      facts: classifier.facts(isText: isText, payload: payload, direction: direction))
  }

  @Test func readsAnAuthWithAToken() {
    let message = message(#"{ "type": "auth", "token": "ob_s_1" }"#, .up)
    #expect(message.facts.kind == .onebaseAuth)
    #expect(message.facts.flags == [.hasToken])
    #expect(message.text(message.facts.credential) == "\"ob_s_1\"")
  }

  @Test func readsAnAnonymousAuth() {
    let facts = message(#"{"type":"auth","token":null}"#, .up).facts
    #expect(facts.kind == .onebaseAuth)
    #expect(facts.flags == [])
  }

  @Test func readsASubscriptionWhateverTheOrderOfItsMembers() {
    let message = message(#"{"args":{"a":[1,{"b":"}"}]},"extra":[[]],"path":"notes:list","id":12,"type":"sub"}"#, .up)
    #expect(message.facts.kind == .onebaseSubscribe)
    #expect(message.facts.id == 12)
    #expect(message.text(message.facts.path) == "\"notes:list\"")
    #expect(message.text(message.facts.arguments) == #"{"a":[1,{"b":"}"}]}"#)
  }

  @Test func readsACall() {
    let message = message(
      #"{ "type": "call", "requestId": 7, "kind": "mutation", "path": "notes:add", "args": { "text": "Hi" } }"#, .up)
    #expect(message.facts.kind == .onebaseCall)
    #expect(message.facts.request == 7)
    #expect(message.text(message.facts.name) == "\"mutation\"")
  }

  @Test func readsUnsubUpdateResultAndAuthReplies() {
    #expect(message(#"{"type":"unsub","id":-1}"#, .up).facts.id == -1)
    let update = message(#"{"type":"update","id":1,"ok":true,"value":[1,2]}"#, .down)
    #expect(update.facts.kind == .onebaseUpdate)
    #expect(update.facts.flags == [.ok])
    #expect(update.text(update.facts.value) == "[1,2]")
    let result = message(#"{"type":"result","requestId":7,"ok":false,"error":"no"}"#, .down)
    #expect(result.facts.kind == .onebaseResult)
    #expect(result.facts.flags == [])
    #expect(result.text(result.facts.error) == "\"no\"")
    #expect(message(#"{"type":"auth","ok":true,"identity":null}"#, .down).facts.flags == [.ok])
    #expect(message(#"{"type":"auth","ok":false,"error":"gone","ended":true}"#, .down).facts.flags == [.ended])
  }

  @Test func findsTheUpdatesAndResultsOfATransitionWithinTheWholePayload() throws {
    let message = message(
      #"{"type":"transition","updates":[{"type":"update","id":1,"ok":true,"value":{"n":1}},{"id":2,"ok":false,"error":"x"}],"#
        + #""results":[{"requestId":7,"ok":true,"value":"m57"}]}"#, .down)
    #expect(message.facts.kind == .onebaseTransition)
    try #require(message.facts.parts.count == 3)
    #expect(message.facts.parts.map(\.kind) == [.onebaseUpdate, .onebaseUpdate, .onebaseResult])
    #expect(message.text(message.facts.parts[0].value) == #"{"n":1}"#)
    #expect(message.facts.parts[1].id == 2)
    #expect(message.text(message.facts.parts[2].value) == "\"m57\"")
  }

  @Test func keepsThePartsInTheOrderWritten() {
    let facts = message(
      #"{"results":[{"requestId":7,"ok":true}],"type":"transition","updates":[{"id":1,"ok":true,"value":0}]}"#, .down
    ).facts
    #expect(facts.parts.map(\.kind) == [.onebaseResult, .onebaseUpdate])
  }

  @Test func readsKeysAndTypesThatAreWrittenWithEscapes() {
    let facts = message(#"{"\u0074ype":"\u0061uth","token":null}"#, .up).facts
    #expect(facts.kind == .onebaseAuth)
  }

  @Test func takesTheLastOfARepeatedKey() {
    #expect(message(#"{"type":"unsub","id":1,"id":2}"#, .up).facts.id == 2)
  }

  @Test func marksIdentifiersThatAreNotNumbers() {
    let subscribe = message(#"{"type":"sub","id":"1","path":"a:b","args":{}}"#, .up).facts
    #expect(subscribe.kind == .onebaseSubscribe)
    #expect(subscribe.flags == [.badIdentifier])
    #expect(subscribe.id == nil)
    let call = message(#"{"type":"call","requestId":"7","kind":"query","path":"a:b","args":{}}"#, .up).facts
    #expect(call.flags == [.badIdentifier])
  }

  @Test func tellsNumbersApartThatAreNotWhole() {
    let half = message(#"{"type":"unsub","id":1.5}"#, .up).facts
    #expect(half.flags == [])
    #expect(half.id != nil)
    #expect(half.id != message(#"{"type":"unsub","id":2.5}"#, .up).facts.id)
    #expect(message(#"{"type":"unsub","id":1e2}"#, .up).facts.id == 100)
    #expect(message(#"{"type":"unsub","id":9223372036854775807}"#, .up).facts.id == .max)
  }

  @Test(arguments: [
    "", "null", "[]", "{", "{}", "1", #"{"type":"auth"}"#, #"{"type":"auth","token":5}"#, #"{"type":1}"#,
    #"{"type":"auth","token":null} {}"#, #"{"type":"auth","token":null"#, #"{"type":"auth","token":null,}"#,
    #"{"type":"sub","path":"a:b","args":{}}"#, #"{"type":"sub","id":1,"path":4,"args":{}}"#,
    #"{"type":"sub","id":1,"path":"a:b","args":[]}"#, #"{"type":"unsub"}"#,
    #"{"type":"call","requestId":1,"kind":"run","path":"a:b","args":{}}"#,
    #"{"type":"call","requestId":1,"path":"a:b","args":{}}"#, #"{"type":"unsub","id":1,"x":[}"#,
    #"{"type":"unsub","id":1,"x":"\"#, #"{"type":"unsub","id":-}"#, #"{"type":"unsub","id":tru}"#,
    #"{'type':'unsub','id':1}"#,
  ])
  func callsItMalformedUpwards(_ text: String) {
    #expect(message(text, .up).facts.kind == .malformed)
  }

  @Test(arguments: [
    #"{"type":"update","id":1}"#, #"{"type":"update","ok":true}"#, #"{"type":"result","ok":true}"#,
    #"{"type":"auth","ok":"yes"}"#, #"{"type":"transition","updates":{}}"#, #"{"type":"transition","updates":[1]}"#,
    #"{"type":"transition","updates":[{"id":1,"ok":true}"#, #"{"type":"transition","results":[{"id":1,"ok":true}]}"#,
  ])
  func callsItMalformedDownwards(_ text: String) {
    #expect(message(text, .down).facts.kind == .malformed)
  }

  @Test func callsABinaryMessageMalformed() {
    #expect(message(#"{"type":"auth","token":null}"#, .up, isText: false).facts.kind == .malformed)
  }

  @Test func leavesTypesThatItDoesNotKnowUnclassified() {
    #expect(message(#"{"type":"presence"}"#, .up).facts.kind == .unclassified)
    #expect(message(#"{"type":"sub","id":1,"path":"a:b","args":{}}"#, .down).facts.kind == .unclassified)
  }

  @Test func endsNestingThatIsTooDeep() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(message(#"{"type":"unsub","id":1,"x":"# + deep, .up).facts.kind == .malformed)
    let closed = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    #expect(message(#"{"type":"unsub","id":1,"x":"# + closed + "}", .up).facts.kind == .malformed)
  }

  @Test func survivesEveryTruncationAndEveryChangedByte() {
    let text = Array(
      #"{"type":"transition","updates":[{"id":1,"ok":true,"value":{"n":"\u0041"}}],"results":[{"requestId":7,"ok":true}]}"#
        .utf8)
    for length in 0..<text.count {
      let facts = classifier.facts(isText: true, payload: Array(text[..<length]), direction: .down)
      #expect(facts.kind == .malformed)
    }
    var random = SeededRandom(seed: 1, purpose: .test)
    for _ in 0..<5_000 {
      var changed = text
      changed[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      let facts = classifier.facts(isText: true, payload: changed, direction: .down)
      for part in facts.parts { #expect(Int(part.value?.upper ?? 0) <= changed.count) }
    }
  }
}
