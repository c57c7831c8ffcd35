import Core
import Protocols
import Testing

/// What one scan finds in palbase messages of both versions, and in broken ones.
struct PalbaseClassifierTests {
  private let classifier = PalbaseClassifier()

  private func message(_ text: String, _ direction: Direction) -> WireMessage {
    let payload = Array(text.utf8)
    return WireMessage(
      payload: payload, facts: classifier.facts(isText: true, payload: payload, direction: direction))
  }

  @Test func readsAJoinInBothVersions() {
    for text in [
      #"{"ref":"3","payload":{"token":"a","access_token":"b"},"event":"phx_join","topic":"room:1","join_ref":"2"}"#,
      #" ["2","3","room:1","phx_join",{"token":"a","access_token":"b"}]"#,
    ] {
      let message = message(text, .up)
      #expect(message.facts.kind == .palbaseJoin)
      #expect(message.facts.id == 2)
      #expect(message.facts.request == 3)
      #expect(message.text(message.facts.path) == "\"room:1\"")
      #expect(message.text(message.facts.name) == "\"phx_join\"")
      #expect(message.text(message.facts.credential) == "\"b\"")
      #expect(message.facts.flags == .hasToken)
    }
  }

  @Test func readsRepliesWithStatusResponseAndReason() {
    let ok = message(#"["1","1","r","phx_reply",{"status":"ok","response":{"a":1}}]"#, .down)
    #expect(ok.facts.kind == .palbaseReply)
    #expect(ok.facts.flags == .ok)
    #expect(ok.text(ok.facts.value) == #"{"a":1}"#)
    let refused = message(
      #"{"topic":"r","event":"phx_reply","ref":"1","payload":{"response":{"reason":"forbidden"},"status":"error"}}"#,
      .down)
    #expect(refused.facts.flags == [])
    #expect(refused.text(refused.facts.error) == "\"forbidden\"")
    #expect(message(#"[null,"1","r","phx_reply",{"status":"maybe"}]"#, .down).facts.kind == .malformed)
  }

  @Test func tellsHeartbeatsAndTheirReplies() {
    let beat = message(#"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":null}"#, .up).facts
    #expect(classifier.isHeartbeat(beat))
    #expect(!classifier.isHeartbeatReply(beat))
    let answer = message(#"[null,"9","phoenix","phx_reply",{"status":"ok","response":{}}]"#, .down).facts
    #expect(classifier.isHeartbeatReply(answer))
    #expect(answer.request == 9)
    #expect(!classifier.isHeartbeat(message(#"[null,"9","room:1","heartbeat",{}]"#, .up).facts))
  }

  @Test func readsTheInnerPayloadOfABroadcastAndTheVersionsOfAState() {
    let broadcast = message(
      #"[null,null,"r","broadcast",{"type":"broadcast","event":"m","payload":{"x":[1]}}]"#, .down)
    #expect(broadcast.facts.kind == .palbaseBroadcast)
    #expect(broadcast.text(broadcast.facts.value) == #"{"x":[1]}"#)
    let state = message(#"[null,null,"r","state",{"entries":{"a":{"value":1}},"version":12}]"#, .down)
    #expect(state.facts.kind == .palbaseState)
    #expect(state.facts.request == 12)
    #expect(state.text(state.facts.value) == #"{"a":{"value":1}}"#)
    let change = message(#"[null,null,"r","state_change",{"key":"a","entry":null,"version":13}]"#, .down)
    #expect(change.facts.kind == .palbaseStateChange)
    #expect(change.facts.request == 13)
    let refused = message(#"[null,null,"r","refused",{"event":"m","reason":"forbidden"}]"#, .down)
    #expect(refused.text(refused.facts.error) == "\"forbidden\"")
  }

  @Test func readsNamesThatAreWrittenWithEscapes() {
    let facts = message(#"{"t\u006fpic":"r","event":"phx\u005fleave","payload":{},"ref":"1"}"#, .up).facts
    #expect(facts.kind == .palbaseLeave)
    #expect(facts.request == 1)
  }

  @Test func anUnknownEventKeepsItsFactsWithoutAKind() {
    let facts = message(#"["1","2","r","presence",{"type":"presence"}]"#, .up).facts
    #expect(facts.kind == .unclassified)
    #expect(facts.request == 2)
    #expect(message(#"["1","2","r","phx_join",{}]"#, .down).facts.kind == .unclassified)
  }

  @Test(arguments: [
    "", "[]", "{}", "nil", #"["1","2","r","phx_join"]"#, #"{"topic":1,"event":"phx_join"}"#,
    #"{"topic":"r","event":"phx_join","payload":{}"#, #"["1","2","r",5,{}]"#, #"[[[[[[["#, "\u{0}", #"{"topic":"#,
    #"["1","2","r","state_set",{"key":5}]"#, #"["1","2","r","state_set","text"]"#, #"["1","2","r","broadcast",{}]"#,
    #"["1","2","r","broadcast",{"event":"m","payload":5}]"#, #"["1","2","r","access_token",{}]"#,
  ])
  func whatIsNoMessageOfAClientIsMalformedAndSaidSo(text: String) {
    #expect(message(text, .up).facts.kind == .malformed)
    #expect(throws: PalbaseDecodingError.self) { try PalbaseClientMessage.decode(Array(text.utf8)) }
  }

  @Test func everyPrefixAndEveryChangedByteIsReadWithoutATrap() {
    let texts = PalbaseMessageTests.client.map { ($0.1, $0.2) } + PalbaseMessageTests.server.map { ($0.1, $0.2) }
    for (object, array) in texts {
      for text in [object, array] {
        let bytes = Array(text.utf8)
        for length in 0..<bytes.count { readAll(Array(bytes[..<length])) }
        for place in bytes.indices {
          for byte: UInt8 in [0, 0x22, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0xFF] {
            var changed = bytes
            changed[place] = byte
            readAll(changed)
          }
        }
      }
    }
  }

  private func readAll(_ payload: [UInt8]) {
    for direction in Direction.allCases {
      _ = classifier.facts(isText: true, payload: payload, direction: direction)
    }
    _ = try? PalbaseClientMessage.decode(payload)
    _ = try? PalbaseServerMessage.decode(payload)
  }

  @Test func aRefOfAnotherTypeIsFlagged() {
    #expect(message(#"[null,{},"r","phx_leave",{}]"#, .up).facts.flags.contains(.badIdentifier))
  }

  @Test func topicsAreNonEmptySegmentsOfAtMost255Bytes() {
    for good in ["a", "room:1", "user:ünï", "a:b:c", "room:" + String(repeating: "x", count: 250)] {
      #expect(PalbaseTopic.mistake(good) == nil)
    }
    for bad in ["", ":", "a:", ":a", "a::b", "phoenix", "room:" + String(repeating: "x", count: 251)] {
      #expect(PalbaseTopic.mistake(bad) != nil)
    }
    #expect(PalbaseTopic.isFlags("flags:p:u"))
    #expect(!PalbaseTopic.isFlags("flagship:1"))
  }
}
