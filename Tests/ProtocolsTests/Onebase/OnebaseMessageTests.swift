import Core
import JSON
import Protocols
import Testing

/// Every message of the protocol page, both ways, written and read.
struct OnebaseMessageTests {
  static let client: [(OnebaseClientMessage, String)] = [
    (.auth(token: "ob_s_\"1"), #"{"type":"auth","token":"ob_s_\"1"}"#),
    (.auth(token: nil), #"{"type":"auth","token":null}"#),
    (
      .subscribe(id: 1, path: "notes:list", arguments: ["room": 3]),
      #"{"type":"sub","id":1,"path":"notes:list","args":{"room":3}}"#
    ),
    (.unsubscribe(id: -9), #"{"type":"unsub","id":-9}"#),
    (
      .call(requestId: 7, kind: .mutation, path: "notes:add", arguments: ["text": "Hi"]),
      #"{"type":"call","requestId":7,"kind":"mutation","path":"notes:add","args":{"text":"Hi"}}"#
    ),
    (
      .call(requestId: 8, kind: .query, path: "a:b", arguments: [:]),
      #"{"type":"call","requestId":8,"kind":"query","path":"a:b","args":{}}"#
    ),
    (
      .call(requestId: 9, kind: .action, path: "a:b", arguments: [:]),
      #"{"type":"call","requestId":9,"kind":"action","path":"a:b","args":{}}"#
    ),
  ]

  static let server: [(OnebaseServerMessage, String)] = [
    (.authenticated(identity: nil), #"{"type":"auth","ok":true,"identity":null}"#),
    (.authenticated(identity: ["subject": "m17"]), #"{"type":"auth","ok":true,"identity":{"subject":"m17"}}"#),
    (.authenticationFailed(error: "no", ended: false), #"{"type":"auth","ok":false,"error":"no"}"#),
    (.authenticationFailed(error: "gone", ended: true), #"{"type":"auth","ok":false,"error":"gone","ended":true}"#),
    (.update(OnebaseUpdate(id: 1, outcome: .ok(value: [1, 2]))), #"{"type":"update","id":1,"ok":true,"value":[1,2]}"#),
    (
      .update(OnebaseUpdate(id: 1, outcome: .failed(error: "x", data: ["code": 5]))),
      #"{"type":"update","id":1,"ok":false,"error":"x","data":{"code":5}}"#
    ),
    (
      .result(OnebaseResult(requestId: 7, outcome: .ok(value: "m57"))),
      #"{"type":"result","requestId":7,"ok":true,"value":"m57"}"#
    ),
    (
      .result(OnebaseResult(requestId: 7, outcome: .failed(error: "x", data: nil))),
      #"{"type":"result","requestId":7,"ok":false,"error":"x"}"#
    ),
    (
      .transition(
        updates: [
          OnebaseUpdate(id: 1, outcome: .ok(value: 5)),
          OnebaseUpdate(id: 2, outcome: .failed(error: "x", data: "why")),
        ], results: [OnebaseResult(requestId: 7, outcome: .ok(value: nil))]),
      #"{"type":"transition","updates":[{"type":"update","id":1,"ok":true,"value":5},"#
        + #"{"type":"update","id":2,"ok":false,"error":"x","data":"why"}],"#
        + #""results":[{"type":"result","requestId":7,"ok":true,"value":null}]}"#
    ),
    (.transition(updates: [], results: []), #"{"type":"transition","updates":[],"results":[]}"#),
  ]

  @Test(arguments: client.indices) func writesAndReadsWhatAClientSays(_ index: Int) throws {
    let (message, text) = Self.client[index]
    #expect(String(decoding: message.encoded, as: UTF8.self) == text)
    #expect(try OnebaseClientMessage.decode(Array(text.utf8)) == message)
  }

  @Test(arguments: server.indices) func writesAndReadsWhatAServerSays(_ index: Int) throws {
    let (message, text) = Self.server[index]
    #expect(String(decoding: message.encoded, as: UTF8.self) == text)
    #expect(try OnebaseServerMessage.decode(Array(text.utf8)) == message)
  }

  @Test func skipsMembersThatTheProtocolDoesNotName() throws {
    let text = #"{"v":2,"type":"sub","id":1,"path":"a:b","args":{},"trace":{"data":[1]}}"#
    #expect(try OnebaseClientMessage.decode(Array(text.utf8)) == .subscribe(id: 1, path: "a:b", arguments: [:]))
  }

  @Test func readsMissingArgumentsAsNone() throws {
    let text = #"{"type":"sub","id":1,"path":"a:b"}"#
    #expect(try OnebaseClientMessage.decode(Array(text.utf8)) == .subscribe(id: 1, path: "a:b", arguments: [:]))
  }

  @Test func saysWhyAClientsMessageIsNone() {
    #expect(reason(#"{"type":"sub","id":"1","path":"a:b","args":{}}"#) == "the `sub` message lacks a number `id`")
    #expect(reason(#"{"type":"unsub","id":1.5}"#) == nil)
    #expect(reason("[1]") == "a message is one JSON object; this is another JSON value")
    #expect(
      reason(#"{"type":"hello"}"#)
        == "the protocol names no message type `hello` here; expected auth, sub, unsub or call")
    #expect(reason(#"{"type":"auth"}"#) == "the `auth` message lacks `token`, a string or null")
    #expect(reason("{\"type\":")?.hasPrefix("invalid JSON at byte 8") == true)
  }

  @Test func refusesAValueThatOnlyTheScannerLetThrough() {
    #expect(reason(#"{"type":"sub","id":1,"path":"a:b","args":{"a" 1}}"#)?.hasPrefix("invalid JSON") == true)
    #expect(reason(#"{"type":"sub","id":1,"path":"\q","args":{}}"#) == "the `sub` message lacks a string `path`")
  }

  @Test func tellsSubscriptionsApartByPathAndArgumentsHoweverWritten() throws {
    let a = try #require(key(#"{"type":"sub","id":1,"path":"a:b","args":{"x":1,"y":2}}"#))
    let b = try #require(key(#"{"type":"sub","args":{ "y":2.0, "x":1 },"path":"a:b","id":4}"#))
    let c = try #require(key(#"{"type":"sub","id":1,"path":"a:b","args":{"x":1,"y":3}}"#))
    #expect(a == b)
    #expect(a.hash == b.hash)
    #expect(a != c)
    #expect(a.hash != c.hash)
    #expect(a.description == #"a:b {"x":1,"y":2}"#)
    #expect(a == SubscriptionKey(path: "a:b", arguments: ["y": 2, "x": 1]))
    #expect(key(#"{"type":"unsub","id":1}"#) == nil)
  }

  private func key(_ text: String) -> SubscriptionKey? {
    let payload = Array(text.utf8)
    return SubscriptionKey(
      WireMessage(
        payload: payload, facts: OnebaseClassifier().facts(isText: true, payload: payload, direction: .up)))
  }

  private func reason(_ text: String) -> String? {
    do throws(OnebaseDecodingError) {
      _ = try OnebaseClientMessage.decode(Array(text.utf8))
      return nil
    } catch {
      return error.description
    }
  }
}
